import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "@/ui/code/CodeBlock";
import { languageOfPath } from "@/ui/code/languages";
import { Markdown } from "@/ui/markdown/Markdown";
import { Spinner } from "@/ui/Spinner";

const CHARACTERS_MAX = 500_000;

interface TextPreviewProps {
  id: string;
  read: () => Promise<string>;
  name: string;
  type: string;
}

/** The content of a text file, Markdown as such. */
export function TextPreview({ id, read, name, type }: TextPreviewProps) {
  const file = useQuery({
    queryKey: ["file", id],
    queryFn: async () => (await read()).slice(0, CHARACTERS_MAX),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (file.error) return <p className="text-bad">{file.error.message}</p>;
  if (file.data === undefined) return <Spinner label="Loading" />;
  if (type === "text/markdown" || /\.mdx?$/i.test(name)) return <Markdown text={file.data} />;
  return <CodeBlock code={file.data} language={languageOfPath(name)} />;
}

import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "@/ui/code/CodeBlock";
import { languageOfPath } from "@/ui/code/languages";
import { Markdown } from "@/ui/markdown/Markdown";
import { Spinner } from "@/ui/Spinner";

const CHARACTERS_MAX = 500_000;

/** The content of a text file, Markdown as such. */
export function TextPreview({ href, name, type }: { href: string; name: string; type: string }) {
  const file = useQuery({
    queryKey: ["file", href],
    queryFn: async ({ signal }) => {
      const response = await fetch(href, { signal });
      if (!response.ok) throw new Error("The file is not there any more.");
      return (await response.text()).slice(0, CHARACTERS_MAX);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (file.error) return <p className="text-bad">{file.error.message}</p>;
  if (file.data === undefined) return <Spinner label="Loading" />;
  if (type === "text/markdown" || /\.mdx?$/i.test(name)) return <Markdown text={file.data} />;
  return <CodeBlock code={file.data} language={languageOfPath(name)} />;
}

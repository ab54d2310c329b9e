/** Pages of the internet, read by us, and searches that the provider of a model does itself. */

import { Globe, Search } from "lucide-react";
import { fieldsOf, listOf, textOf, textsOf } from "@/lib/json";
import { plural } from "@/lib/text/words";
import { SourceLink } from "@/parts/SourceLink";
import { Scroll } from "@/ui/Group";
import { Markdown } from "@/ui/markdown/Markdown";
import { hostOf } from "@/ui/markdown/syntax/links";

import { Frame } from "../frame/Frame";
import { Note } from "../frame/Note";
import { Picture } from "../frame/Picture";
import type { ToolCardProps } from "../index";

const RESULTS_MAX = 20;

export function FetchCard({ call }: ToolCardProps) {
  const url = textOf(fieldsOf(call.args).url);
  const result = fieldsOf(call.result?.result);
  const title = textOf(result.title);
  const content = textOf(result.content);
  return (
    <Frame
      call={call}
      icon={Globe}
      verbs={["Reading", "Read", "Could not read"]}
      target={title || url}
      meta={title ? hostOf(textOf(result.url) || url) : undefined}
    >
      {call.result && !call.result.is_error && (
        <div className="grid min-w-0 gap-2">
          <SourceLink url={textOf(result.url) || url} title={title} />
          {call.result.is_media && <Picture result={call.result} />}
          {content && (
            <Scroll className="max-h-96 overflow-auto rounded-md border border-line p-3 text-sm" label="Page">
              <Markdown text={content} />
            </Scroll>
          )}
          <Note text={textOf(result.note)} />
        </div>
      )}
    </Frame>
  );
}

export function WebSearchCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const query = textOf(args.query) || textOf(fieldsOf(args.action).query) || textsOf(args.queries).join(", ");
  const found = pagesIn(call.result?.result);
  return (
    <Frame
      call={call}
      icon={Search}
      verbs={["Searching the web", "Searched the web", "Could not search the web"]}
      target={query}
      meta={found.length > 0 ? plural(found.length, "result") : undefined}
    >
      {found.length > 0 && (
        <ul className="grid gap-1">
          {found.slice(0, RESULTS_MAX).map((page) => (
            <li key={page.url} className="min-w-0">
              <SourceLink {...page} />
            </li>
          ))}
        </ul>
      )}
    </Frame>
  );
}

/** Each provider has its own shape: a list of pages, or one in a field. */
function pagesIn(result: unknown): { url: string; title: string }[] {
  const { results, sources } = fieldsOf(result);
  const pages = [...listOf(result), ...listOf(results), ...listOf(sources)].map(fieldsOf);
  return pages
    .map((page) => ({ url: textOf(page.url), title: textOf(page.title) }))
    .filter((page) => page.url !== "");
}

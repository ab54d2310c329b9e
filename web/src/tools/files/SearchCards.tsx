/** Finding files by name, and lines by what they say. */
import { FolderSearch, TextSearch } from "lucide-react";

import { fieldsOf, listOf, numberOf, textOf, textsOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";

import { Frame } from "../frame/Frame";
import { Note } from "../frame/Note";
import { Output } from "../frame/Output";
import { stateOf } from "../frame/state";
import type { ToolCardProps } from "../index";

const FILES_MAX = 50;

export function FindCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const paths = textsOf(result.paths);
  return (
    <Frame
      call={call}
      icon={FolderSearch}
      verbs={["Finding files", "Found files", "Could not find files"]}
      target={[textOf(args.pattern) || "**", within(args.path)].join("")}
      mono
      meta={stateOf(call) === "done" ? plural(paths.length, "file") : undefined}
    >
      {call.result && !call.result.is_error && (
        <>
          {paths.length > 0 && <Output text={paths.join("\n")} label="Files" />}
          <Note text={textOf(result.note)} />
        </>
      )}
    </Frame>
  );
}

export function SearchCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const files = listOf(result.files).map(fieldsOf);
  const matches = numberOf(result.matches) ?? 0;
  return (
    <Frame
      call={call}
      icon={TextSearch}
      verbs={["Searching for", "Searched for", "Could not search for"]}
      target={[textOf(args.pattern), within(args.path), textOf(args.glob) && ` in ${textOf(args.glob)}`].join(
        "",
      )}
      mono
      meta={stateOf(call) === "done" ? plural(matches, "match", "matches") : undefined}
    >
      {call.result && !call.result.is_error && (
        <div className="grid min-w-0 gap-2">
          {files.slice(0, FILES_MAX).map((file) => (
            <div key={textOf(file.path)} className="min-w-0">
              <p className="truncate font-mono text-xs text-muted">{visible(textOf(file.path))}</p>
              <Output text={textOf(file.lines)} label={`Lines of ${textOf(file.path)}`} />
            </div>
          ))}
          {files.length > FILES_MAX && (
            <Note text={`${files.length - FILES_MAX} more files are not shown.`} />
          )}
          <Note text={textOf(result.note)} />
        </div>
      )}
    </Frame>
  );
}

function within(path: unknown): string {
  const place = textOf(path);
  return place && place !== "." ? ` in ${place}` : "";
}

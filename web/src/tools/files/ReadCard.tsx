import { FileText } from "lucide-react";

import { fieldsOf, numberOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import type { ShownCall } from "@/live/rows/call";

import { Frame } from "../frame/Frame";
import { Picture } from "../frame/Picture";
import type { ToolCardProps } from "../index";
import { FileLines } from "./FileLines";

export function ReadCard({ call }: ToolCardProps) {
  return (
    <Frame
      call={call}
      icon={FileText}
      verbs={["Reading", "Read", "Could not read"]}
      target={textOf(fieldsOf(call.args).path)}
      mono
      meta={linesOf(call)}
    >
      {call.result && !call.result.is_error && <ReadContent call={call} />}
    </Frame>
  );
}

/** What was read: lines, a picture, or why it is neither. */
export function ReadContent({ call }: { call: ShownCall }) {
  const result = fieldsOf(call.result?.result);
  const note = textOf(result.note);
  if (call.result?.is_media) return <Picture result={call.result} />;
  return (
    <>
      {typeof result.content === "string" && (
        <FileLines content={result.content} path={textOf(fieldsOf(call.args).path)} />
      )}
      {note && <p className="mt-1 text-xs text-muted">{visible(note)}</p>}
    </>
  );
}

function linesOf(call: ShownCall): string {
  const lines = numberOf(fieldsOf(call.result?.result).lines_read);
  return lines === null ? "" : lines === 0 ? "empty" : plural(lines, "line");
}

import { Plug } from "lucide-react";

import { fieldsOf, listOf, readable, textOf } from "@/lib/json";

import { Frame } from "./frame/Frame";
import { Given } from "./frame/Given";
import { Output } from "./frame/Output";
import { Picture } from "./frame/Picture";
import type { ToolCardProps } from "./index";

const SEPARATOR = "__";

/** A tool of an MCP server: `github__create_issue`. */
export function McpCard({ call }: ToolCardProps) {
  const [server = "", ...rest] = call.name.split(SEPARATOR);
  const tool = rest.join(SEPARATOR) || server;
  const intent = textOf(fieldsOf(call.args).model_intent);
  const value = call.result && !call.result.is_error ? call.result.result : undefined;
  return (
    <Frame
      call={call}
      icon={Plug}
      verbs={["Using", "Used", "Could not use"]}
      target={intent ? `${tool}: ${intent}` : tool}
      meta={rest.length > 0 ? server : undefined}
    >
      <div className="grid min-w-0 gap-2">
        <Given call={call} />
        {call.result === null && call.output && (
          <Output text={call.output} label={`Output of ${tool}`} live />
        )}
        {call.result?.is_media ? (
          <Picture result={call.result} />
        ) : (
          value !== undefined && (
            <Output text={shown(value) || "It came back with nothing."} label={`Result of ${tool}`} />
          )
        )}
      </div>
    </Frame>
  );
}

/** The words of a result, if that is all it has. */
function shown(value: unknown): string {
  const { output, content, ...others } = fieldsOf(value);
  if (typeof output === "string" && content === undefined && Object.keys(others).length === 0) return output;
  const words = listOf(content).map((each) => textOf(fieldsOf(each).text));
  return words.length > 0 && words.every(Boolean) ? words.join("\n") : readable(value);
}

/** Looking at processes that run, giving them input, and ending them. */
import { CircleStop, Keyboard, List, ScrollText } from "lucide-react";

import { fieldsOf, listOf, numberOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";

import { useSurroundings } from "../actions";
import { Badge } from "../frame/Badges";
import { Frame } from "../frame/Frame";
import { Output } from "../frame/Output";
import { stateOf, type Verbs } from "../frame/state";
import type { ToolCardProps } from "../index";
import { outcomeOf } from "./outcome";
import { Ending, ProcessBody } from "./ProcessBody";

export function ProcessOutputCard({ call }: ToolCardProps) {
  const outcome = outcomeOf(call, useSurroundings().fates);
  const args = fieldsOf(call.args);
  const command = textOf(fieldsOf(call.result?.result).command);
  const intent = textOf(args.model_intent);
  return (
    <Frame
      call={call}
      icon={ScrollText}
      verbs={["Waiting for", "Looked at", "Could not look at"]}
      verb={outcome.exitCode === null ? undefined : "Looked at"}
      target={intent || command || `process ${textOf(args.process_id)}`}
      mono={!intent && command !== ""}
      state={outcome.state}
      meta={<Ending outcome={outcome} />}
      open={call.output !== "" && call.result === null}
    >
      <ProcessBody call={call} outcome={outcome} />
    </Frame>
  );
}

const SIGNALS: Readonly<Record<string, Verbs>> = {
  kill: ["Killing", "Killed", "Could not kill"],
  terminate: ["Ending", "Asked to end", "Could not end"],
};

export function ProcessSignalCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const isRefused = result.success === false;
  return (
    <Frame
      call={call}
      icon={CircleStop}
      verbs={SIGNALS[textOf(args.signal)] ?? ["Signalling", "Signalled", "Could not signal"]}
      target={`process ${textOf(args.process_id)}`}
      state={isRefused ? "failed" : undefined}
    >
      {textOf(result.message) && <p className="text-sm text-muted">{visible(textOf(result.message))}</p>}
    </Frame>
  );
}

export function ProcessInputCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  return (
    <Frame
      call={call}
      icon={Keyboard}
      verbs={["Typing into", "Typed into", "Could not type into"]}
      target={`process ${textOf(args.process_id)}`}
      state={result.success === false ? "failed" : undefined}
    >
      <Output text={textOf(args.input) || "(the end of its input)"} label="Input" />
      {textOf(result.message) && <p className="mt-1 text-sm text-muted">{visible(textOf(result.message))}</p>}
    </Frame>
  );
}

export function ProcessListCard({ call }: ToolCardProps) {
  const processes = listOf(fieldsOf(call.result?.result).processes).map(fieldsOf);
  const isDone = stateOf(call) === "done";
  return (
    <Frame
      call={call}
      icon={List}
      verbs={["Listing", "Listed", "Could not list"]}
      target={isDone ? plural(processes.length, "process", "processes") : "processes"}
    >
      {processes.length > 0 && (
        <ul className="grid gap-1 text-sm">
          {processes.map((process) => (
            <li key={textOf(process.id)} className="flex min-w-0 items-baseline gap-2">
              <code className="min-w-0 flex-1 truncate text-[0.8125rem]">
                {visible(textOf(process.command))}
              </code>
              <Badge
                text={
                  process.running === true ? "running" : `exit ${numberOf(process.exit_code) ?? "unknown"}`
                }
              />
            </li>
          ))}
        </ul>
      )}
    </Frame>
  );
}

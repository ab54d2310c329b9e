import { SquareTerminal } from "lucide-react";

import { fieldsOf, textOf } from "@/lib/json";
import { capital } from "@/lib/text/words";

import { useSurroundings } from "../actions";
import { Frame } from "../frame/Frame";
import { Output } from "../frame/Output";
import type { ToolCardProps } from "../index";
import { outcomeOf, programsOf } from "./outcome";
import { Ending, ProcessBody } from "./ProcessBody";

// Longer commands are named by their programs, and shown whole below.
const SHORT_MAX = 90;

export function ExecuteCard({ call }: ToolCardProps) {
  const outcome = outcomeOf(call, useSurroundings().fates);
  const args = fieldsOf(call.args);
  const command = textOf(args.command);
  const isShort = command.length <= SHORT_MAX && !command.includes("\n");
  const intent = textOf(args.model_intent);
  const label = isShort ? command : programsOf(call.part?.parsed_commands) || command;
  const isAsked = call.waiting?.kind === "approval";
  return (
    <Frame
      call={call}
      icon={SquareTerminal}
      verbs={["Running", "Ran", "Could not run"]}
      verb={intent ? capital(intent) : outcome.exitCode === null ? undefined : "Ran"}
      target={intent ? "" : label}
      mono={!intent}
      state={outcome.state}
      meta={<Ending outcome={outcome} />}
      open={call.output !== "" && call.result === null}
    >
      {isAsked ? null : (
        <div className="grid min-w-0 gap-2">
          {(!isShort || intent) && command && <Output text={command} label="Command" />}
          <ProcessBody call={call} outcome={outcome} />
        </div>
      )}
    </Frame>
  );
}

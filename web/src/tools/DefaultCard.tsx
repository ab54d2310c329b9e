/** Any tool: its name, what it was given and what came of it. */
import { Wrench } from "lucide-react";

import { fieldsOf, readable, textOf } from "@/lib/json";

import { Frame } from "./frame/Frame";
import { Given } from "./frame/Given";
import { Output } from "./frame/Output";
import { Picture } from "./frame/Picture";
import { stateOf } from "./frame/state";
import type { ToolCardProps } from "./index";

export function DefaultCard({ call }: ToolCardProps) {
  const intent = textOf(fieldsOf(call.args).model_intent);
  const live = stateOf(call) === "running";
  const outcome =
    call.result && !call.result.is_error && !call.result.is_media ? readable(call.result.result) : "";
  return (
    <Frame
      call={call}
      icon={Wrench}
      verbs={["Using", "Used", "Could not use"]}
      target={intent ? `${call.name}: ${intent}` : call.name}
    >
      <div className="grid min-w-0 gap-2">
        <Given call={call} />
        {live && call.output && <Output text={call.output} label={`Output of ${call.name}`} live />}
        {call.result?.is_media && <Picture result={call.result} />}
        {outcome && <Output text={outcome} label={`Result of ${call.name}`} />}
      </div>
    </Frame>
  );
}

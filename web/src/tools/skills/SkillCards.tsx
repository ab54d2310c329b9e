/** Instructions that an agent reads when it needs them, and tools that it looks for. */

import { BookOpen, Wrench } from "lucide-react";
import { fieldsOf, listOf, textOf, textsOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import { Scroll } from "@/ui/Group";
import { Markdown } from "@/ui/markdown/Markdown";

import { Frame } from "../frame/Frame";
import { Note } from "../frame/Note";
import { Output } from "../frame/Output";
import { stateOf } from "../frame/state";
import type { ToolCardProps } from "../index";

export function SkillCard({ call }: ToolCardProps) {
  const result = fieldsOf(call.result?.result);
  const files = textsOf(result.files);
  return (
    <Frame
      call={call}
      icon={BookOpen}
      verbs={["Reading the skill", "Read the skill", "Could not read the skill"]}
      target={textOf(result.name) || textOf(fieldsOf(call.args).name)}
    >
      {call.result && !call.result.is_error && (
        <div className="grid min-w-0 gap-2">
          <Scroll className="max-h-96 overflow-auto text-sm" label="Instructions">
            <Markdown text={textOf(result.body)} />
          </Scroll>
          {files.length > 0 && <Output text={files.join("\n")} label="Files of the skill" />}
        </div>
      )}
    </Frame>
  );
}

export function SkillFileCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  return (
    <Frame
      call={call}
      icon={BookOpen}
      verbs={["Reading", "Read", "Could not read"]}
      target={`${textOf(args.path)} of the skill ${textOf(args.name)}`}
    >
      {call.result && !call.result.is_error && (
        <>
          <Output text={textOf(result.content)} label="Content" />
          <Note text={textOf(result.note)} />
        </>
      )}
    </Frame>
  );
}

export function FindToolsCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const matches = listOf(result.matches).map(fieldsOf);
  const activated = textsOf(result.activated);
  return (
    <Frame
      call={call}
      icon={Wrench}
      verbs={["Looking for tools", "Looked for tools", "Could not look for tools"]}
      target={[...textsOf(args.queries), ...textsOf(args.names)].join(", ")}
      meta={stateOf(call) === "done" ? plural(activated.length, "tool") : undefined}
    >
      {matches.length > 0 && (
        <dl className="grid gap-1.5 text-sm">
          {matches.map((each) => (
            <div key={textOf(each.name)}>
              <dt className="font-mono text-[0.8125rem]">{visible(textOf(each.name))}</dt>
              <dd className="text-xs text-muted">{visible(textOf(each.description))}</dd>
            </div>
          ))}
        </dl>
      )}
    </Frame>
  );
}

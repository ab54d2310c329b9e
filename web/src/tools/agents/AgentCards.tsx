/** Starting, stopping and listing agents, and writing to them. */
import { Bot, CircleStop, GitMerge, List, MessageSquare } from "lucide-react";

import { fieldsOf, listOf, textOf, textsOf } from "@/lib/json";
import { plural } from "@/lib/text/words";
import { Markdown } from "@/ui/markdown/Markdown";

import { Frame } from "../frame/Frame";
import { Output } from "../frame/Output";
import { stateOf } from "../frame/state";
import type { ToolCardProps } from "../index";
import { type Agent, AgentLink, agentIn } from "./AgentLink";

export function SpawnCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const agent = agentIn(fieldsOf(call.result?.result));
  const kind = textOf(args.type) === "explore" ? "an explorer" : "an agent";
  const how = [textOf(args.model), textOf(args.reasoning_effort), args.worktree === true && "own worktree"];
  return (
    <Frame
      call={call}
      icon={Bot}
      verbs={[`Starting ${kind}`, `Started ${kind}`, `Could not start ${kind}`]}
      target={agent ? "" : textOf(args.title) || textOf(args.prompt)}
      meta={how.filter(Boolean).join(" · ")}
      aside={agent && <AgentLink agent={agent} />}
    >
      {textOf(args.prompt) && <Markdown text={textOf(args.prompt)} />}
    </Frame>
  );
}

/** The agent that a call is about, by what came back or, until then, by what was asked. */
function agentOf(call: ToolCardProps["call"]): Agent | null {
  const asked = textOf(fieldsOf(call.args).chat_id);
  return (
    agentIn(fieldsOf(call.result?.result)) ?? (asked ? { chatId: asked, title: "", status: null } : null)
  );
}

export function MessageAgentCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const agent = agentOf(call);
  return (
    <Frame
      call={call}
      icon={MessageSquare}
      verbs={["Writing to", "Wrote to", "Could not write to"]}
      target={agent ? "" : "an agent"}
      aside={agent && <AgentLink agent={agent} />}
      meta={args.interrupt === true ? "interrupting it" : undefined}
    >
      {textOf(args.message) && <Markdown text={textOf(args.message)} />}
    </Frame>
  );
}

export function InterruptAgentCard({ call }: ToolCardProps) {
  const agent = agentOf(call);
  const wasIdle = fieldsOf(call.result?.result).interrupted === false;
  return (
    <Frame
      call={call}
      icon={CircleStop}
      verbs={["Stopping", "Stopped", "Could not stop"]}
      target={agent ? "" : "an agent"}
      meta={wasIdle ? "it did nothing" : undefined}
      aside={agent && <AgentLink agent={agent} />}
    />
  );
}

export function MergeAgentCard({ call }: ToolCardProps) {
  const agent = agentOf(call);
  const files = textsOf(fieldsOf(call.result?.result).changed_files);
  return (
    <Frame
      call={call}
      icon={GitMerge}
      verbs={["Taking over the changes of", "Took over the changes of", "Could not take over the changes of"]}
      target={agent ? "" : "an agent"}
      meta={stateOf(call) === "done" ? plural(files.length, "file") : undefined}
      aside={agent && <AgentLink agent={agent} />}
    >
      {files.length > 0 && <Output text={files.join("\n")} label="Files" />}
    </Frame>
  );
}

export function ListAgentsCard({ call }: ToolCardProps) {
  const agents = listOf(fieldsOf(call.result?.result).agents)
    .map((each) => agentIn(fieldsOf(each)))
    .filter((agent) => agent !== null);
  return (
    <Frame
      call={call}
      icon={List}
      verbs={["Listing", "Listed", "Could not list"]}
      target={stateOf(call) === "done" ? plural(agents.length, "agent") : "agents"}
    >
      {agents.length > 0 && (
        <div className="flex min-w-0 flex-wrap gap-2">
          {agents.map((agent) => (
            <AgentLink key={agent.chatId} agent={agent} />
          ))}
        </div>
      )}
    </Frame>
  );
}

export function ListModelsCard({ call }: ToolCardProps) {
  const models = listOf(fieldsOf(call.result?.result).models).map(fieldsOf);
  const names = models
    .map((each) => textOf(each.model) || textOf(each.name) || textOf(each.id))
    .filter(Boolean);
  return (
    <Frame
      call={call}
      icon={List}
      verbs={["Listing", "Listed", "Could not list"]}
      target={stateOf(call) === "done" ? plural(models.length, "model") : "models"}
    >
      {names.length > 0 && <Output text={names.join("\n")} label="Models" />}
    </Frame>
  );
}

/** Waiting for agents, and what they report. */
import { Hourglass } from "lucide-react";

import { type Fields, fieldsOf, listOf, textOf, textsOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import { Markdown } from "@/ui/markdown/Markdown";

import { useSurroundings } from "../actions";
import { Badge } from "../frame/Badges";
import { Frame } from "../frame/Frame";
import { Output } from "../frame/Output";
import type { ToolCardProps } from "../index";
import { AgentLink, agentIn } from "./AgentLink";

export function WaitCard({ call }: ToolCardProps) {
  const { children } = useSurroundings();
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const told = listOf(result.agents).length > 0 ? listOf(result.agents).map(fieldsOf) : [result];
  const reports = told.filter((each) => textOf(each.chat_id) !== "");
  const named = [textOf(args.chat_id), ...textsOf(args.chat_ids)].filter(Boolean);
  // Without a name, all of them are meant.
  const asked = named.length > 0 || reports.length > 0 ? named : Object.keys(children);
  const names = [
    ...reports.map((each) => textOf(each.title)),
    ...asked.map((id) => children[id]?.title ?? ""),
  ];
  const isLate = reports.some((each) => each.timed_out === true);
  const isLive = call.result === null;
  return (
    <Frame
      call={call}
      icon={Hourglass}
      verbs={["Waiting for", isLate ? "Waited for" : "Heard from", "Could not wait for"]}
      target={[...new Set(names.filter(Boolean))].join(", ") || plural(asked.length || 1, "agent")}
      meta={isLate ? <Badge text="still working" warn /> : undefined}
      open={isLive}
    >
      {isLive ? (
        <Working ids={asked} output={call.output} />
      ) : (
        reports.length > 0 && reports.map((each) => <Report key={textOf(each.chat_id)} told={each} />)
      )}
    </Frame>
  );
}

function Working({ ids, output }: { ids: readonly string[]; output: string }) {
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex min-w-0 flex-wrap gap-2">
        {ids.map((chatId) => (
          <AgentLink key={chatId} agent={{ chatId, title: "", status: null }} />
        ))}
      </div>
      {output && <Output text={output} label="What agents do" live prose />}
    </div>
  );
}

function Report({ told }: { told: Fields }) {
  const agent = agentIn(told);
  const report = textOf(told.report);
  const error = textOf(told.last_error);
  return (
    <div className="mb-3 min-w-0 last:mb-0">
      {agent && (
        <div className="mb-2 flex min-w-0">
          <AgentLink agent={agent} />
        </div>
      )}
      {error && <p className="mb-1 text-sm break-words text-bad">{visible(error)}</p>}
      {report ? (
        <Markdown text={report} />
      ) : (
        <p className="text-sm text-muted">
          {told.timed_out === true ? "It has not reported yet." : "It said nothing."}
        </p>
      )}
    </div>
  );
}

import { RefreshCw } from "lucide-react";
import { type ChatContext, useContext, useRefreshContext } from "@/api/chats/inspect";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Asked } from "../Asked";
import { Part } from "../Part";

/** The files of the workspace that the agent is told of, and the way to tell it what they say now. */
export function ToldFiles({ chatId }: { chatId: string }) {
  return (
    <Asked query={useContext(chatId)} what="The files that are told">
      {(context) => (context.workspace === null ? null : <Files chatId={chatId} context={context} />)}
    </Asked>
  );
}

function Files({ chatId, context }: { chatId: string; context: ChatContext }) {
  const refresh = useRefreshContext(chatId);
  return (
    <Part
      title="Files the agent is told of"
      actions={
        <Button size="small" busy={refresh.isPending} onClick={() => refresh.mutate()}>
          {!refresh.isPending && <RefreshCw aria-hidden size={14} />} Read again
        </Button>
      }
    >
      <p className="text-xs break-all text-muted">{context.workspace}</p>
      {context.dirty_since && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          They have changed since the agent was told of them. Read them again to tell it.
        </p>
      )}
      {context.resources.length === 0 ? (
        <p className="text-sm text-muted">None: the workspace has no AGENTS.md and no skills.</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line text-sm">
          {context.resources.map((file) => (
            <li key={`${file.kind} ${file.source}`} className="px-3 py-2">
              <p className="flex justify-between gap-2">
                <span className="min-w-0 font-mono text-xs leading-5 break-all">{file.source}</span>
                <span className="shrink-0 text-xs leading-5 text-muted tabular-nums">
                  {file.size_bytes.toLocaleString()} bytes
                </span>
              </p>
              {file.error && <p className="text-xs text-warn">{file.error}</p>}
            </li>
          ))}
        </ul>
      )}
      {refresh.error && (
        <p role="alert" className="text-sm text-bad">
          {sentence(refresh.error)}
        </p>
      )}
    </Part>
  );
}

import { useMemo } from "react";
import { useChildren } from "@/api/chats/chats";
import { submitActions } from "@/api/chats/messages";
import type { Row } from "@/live/rows/rows";
import type { ChatView } from "@/live/view/view";
import type { ChatActions, Surroundings } from "@/tools/actions";
import { fatesIn } from "@/tools/processes/fates";

function actionsOf(chatId: string): ChatActions {
  return {
    decide: async ({ tool_call_id, message_id }, { decision, scope, reason }) => {
      const approval = { tool_call_id, message_id, decision, scope, ...(reason && { reason }) };
      await submitActions(chatId, { approvals: [approval] });
    },
    answer: async ({ tool_call_id, message_id }, answer) => {
      await submitActions(chatId, { answers: [{ tool_call_id, message_id, answer }] });
    },
  };
}

/** What the cards of a chat know of it, and can ask of it. */
export function useSurroundingsOf(
  chatId: string,
  view: ChatView,
  rows: readonly Row[],
  { isReadOnly, mayApprove }: { isReadOnly: boolean; mayApprove: boolean },
): Surroundings {
  // Only saved calls count here, so that a long history is not gone through for each word that is said.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const { started, fates } = useMemo(() => saved(rows), [view.messages]);
  const listed = useChildren(chatId, started, view.status === "running").data;
  const actions = useMemo(() => (isReadOnly ? null : actionsOf(chatId)), [chatId, isReadOnly]);
  return useMemo(
    () => ({
      actions,
      mayApprove,
      children: Object.fromEntries((listed ?? []).map(({ id, title, status }) => [id, { title, status }])),
      fates: JSON.parse(fates),
      chatHref: (id) => `/chats/${id}`,
    }),
    [actions, mayApprove, listed, fates],
  );
}

/** How many agents were started, and what became of processes, as JSON: it is the same for as long as that is. */
function saved(rows: readonly Row[]): { started: number; fates: string } {
  const calls = rows.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "call" ? block.call : [])),
  );
  return {
    started: calls.filter((call) => call.name === "spawn_agent" && call.result !== null).length,
    fates: JSON.stringify(fatesIn(calls)),
  };
}

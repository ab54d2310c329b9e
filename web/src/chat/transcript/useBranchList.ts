import { useMemo } from "react";
import { useBranches } from "@/api/chats/messages";
import type { Branch, ChatDetails } from "@/api/types";

const NONE: readonly Branch[] = [];

/** The branches of a chat. Which one is active the stream tells first. */
export function useBranchList(chatId: string, details: ChatDetails | null): readonly Branch[] {
  const branches = useBranches(chatId, details?.branch_count ?? 1).data ?? NONE;
  const active = details?.branch;
  return useMemo(() => branches.map((each) => ({ ...each, active: each.id === active })), [branches, active]);
}

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { switchBranch } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import type { BranchPoint } from "./branches";

/** Between the versions of a message, and of what followed it. */
export function BranchSwitch({ chatId, point }: { chatId: string; point: BranchPoint }) {
  const [busy, setBusy] = useState(false);

  async function go(step: number): Promise<void> {
    const branch = point.branches[point.at + step];
    if (branch === undefined) return;
    setBusy(true);
    try {
      await switchBranch(chatId, branch);
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <span className="flex items-center text-xs tabular-nums">
      <IconButton
        icon={ChevronLeft}
        label="Earlier version"
        size="small"
        disabled={busy || point.at === 0}
        onClick={() => void go(-1)}
      />
      {point.at + 1}/{point.branches.length}
      <IconButton
        icon={ChevronRight}
        label="Later version"
        size="small"
        disabled={busy || point.at === point.branches.length - 1}
        onClick={() => void go(1)}
      />
    </span>
  );
}

import { History, Undo2 } from "lucide-react";
import { useState } from "react";
import {
  type Checkpoints,
  type Prompt,
  type Span,
  useChanges,
  useCheckpoints,
  usePrompts,
} from "@/api/chats/changes";
import { useKept } from "@/lib/kept/useKept";
import { useDeeds } from "@/live/useDeeds";
import { Button } from "@/ui/Button";
import { Select } from "@/ui/Field";
import { Asked, Nothing } from "../Asked";
import { ChangedFiles } from "./ChangedFiles";
import { type Layout, LayoutSwitch } from "./LayoutSwitch";
import { RestoreDialog } from "./RestoreDialog";
import { type ChangingTurn, changingTurns, inShort } from "./turns";

const PROMPTS_MAX = 500;

const NO_FILES: Readonly<Record<string, string>> = {
  no_workspace: "This chat has no workspace, so there are no files to show. Chats get one when they begin.",
  no_checkpoints: "Changes are not kept on this server, because git is not installed there.",
};

/** What agents have changed in files, and the way back. */
export function ChangesTab({ chatId }: { chatId: string }) {
  const checkpoints = useCheckpoints(chatId);
  const prompts = usePrompts(chatId, PROMPTS_MAX);
  return (
    <Asked query={checkpoints} what="Changes" nothing={NO_FILES}>
      {(kept) => (
        <Asked query={prompts} what="Changes">
          {(said) => <Turns chatId={chatId} kept={kept} prompts={said.prompts} />}
        </Asked>
      )}
    </Asked>
  );
}

interface TurnsProps {
  chatId: string;
  kept: Checkpoints;
  prompts: readonly Prompt[];
}

const ALL = "all";

function Turns({ chatId, kept, prompts }: TurnsProps) {
  const turns = changingTurns(prompts, kept);
  const [chosen, choose] = useState<string>(ALL);
  const [layout, setLayout] = useKept<Layout>("panel.diff", "unified");
  const turn = turns.find((each) => String(each.messageId) === chosen) ?? null;
  // Without a choice: from the first one that changed something until now.
  const since = turn ?? turns.at(-1) ?? null;
  const span: Span | null = since && { messageId: since.messageId, until: turn ? "next" : "now" };
  const changes = useChanges(chatId, span);
  if (span === null || since === null)
    return (
      <>
        <Ways chatId={chatId} kept={kept} turn={null} />
        <Nothing>No files were changed in this chat yet. What an agent changes will be shown here.</Nothing>
      </>
    );
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-end gap-2 border-b border-line p-3">
        <div className="min-w-40 flex-1">
          <Select
            bare
            label="Which changes"
            value={turn ? chosen : ALL}
            onChange={(event) => choose(event.target.value)}
          >
            <option value={ALL}>All changes of this chat</option>
            {turns.map((each) => (
              <option key={each.messageId} value={each.messageId}>
                {inShort(each.words)}
              </option>
            ))}
          </Select>
        </div>
        <LayoutSwitch value={layout} onChange={setLayout} />
      </div>
      <Ways chatId={chatId} kept={kept} turn={since} />
      <Asked query={changes} what="Changes">
        {(data) => (
          <ChangedFiles
            key={chosen}
            chatId={chatId}
            span={span}
            changes={data}
            layout={layout}
            turn={since}
          />
        )}
      </Asked>
    </div>
  );
}

interface WaysProps {
  chatId: string;
  kept: Checkpoints;
  /** Before which the files can be brought back. */
  turn: ChangingTurn | null;
}

/** The ways back: to before a message, and from there. */
function Ways({ chatId, kept, turn }: WaysProps) {
  const [open, setOpen] = useState<"restore" | "undo" | null>(null);
  const mayRestore = useDeeds(chatId).has("chat.rewrite");
  if (!mayRestore || (turn === null && !kept.can_undo)) return null;
  return (
    <div className="flex flex-col gap-2 border-b border-line px-3 py-2">
      {kept.interrupted && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          A restore was cut off in the middle. Repeat it, or take it back.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {turn && (
          <Button size="small" onClick={() => setOpen("restore")}>
            <History aria-hidden size={14} /> Restore files
          </Button>
        )}
        {kept.can_undo && (
          <Button size="small" onClick={() => setOpen("undo")}>
            <Undo2 aria-hidden size={14} /> Take the last restore back
          </Button>
        )}
      </div>
      {open === "restore" && turn && (
        <RestoreDialog chatId={chatId} turn={turn} onClose={() => setOpen(null)} />
      )}
      {open === "undo" && <RestoreDialog chatId={chatId} turn={null} onClose={() => setOpen(null)} />}
    </div>
  );
}

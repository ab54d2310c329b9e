import { Check, ChevronDown, ChevronUp, Copy, Info, Pencil } from "lucide-react";
import { memo, useState } from "react";
import { classes } from "@/lib/classes";
import { inspect } from "@/lib/inspected";
import { duration, moment } from "@/lib/time";
import type { Row } from "@/live/rows/rows";
import { textsOf } from "@/live/rows/turnText";
import { Blocks } from "@/parts/Blocks";
import { IconButton } from "@/ui/IconButton";
import { useEditing } from "../editing";
import { BranchSwitch } from "./BranchSwitch";
import type { BranchPoint } from "./branches";
import { TurnEnd } from "./TurnEnd";
import type { Around } from "./useAround";

interface MessageRowProps {
  chatId: string;
  row: Row;
  isLive: boolean;
  mayEdit: boolean;
  around: Around;
  point: BranchPoint | undefined;
  /** Who has written it; null: the one who looks at it. */
  author: string | null;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  return (
    <div className="mx-auto w-full max-w-(--chat-width) px-4 py-2">
      {props.row.role === "user" ? <UserMessage {...props} /> : <AgentMessage {...props} />}
    </div>
  );
});

function UserMessage({ chatId, row, point, mayEdit, around, author }: MessageRowProps) {
  const { setEditing } = useEditing();
  const { message } = row;
  return (
    <article
      aria-label={author ?? "You"}
      className={classes("group flex flex-col", author === null ? "items-end" : "items-start")}
    >
      {author !== null && <p className="max-w-[85%] truncate px-1 pb-0.5 text-xs text-muted">{author}</p>}
      <div
        className={classes(
          "max-w-[85%] rounded-2xl bg-sunken px-4 py-2.5",
          author === null ? "rounded-br-md" : "rounded-tl-md",
        )}
      >
        <Blocks blocks={row.blocks} chatId={chatId} role={row.role} live={false} />
      </div>
      <div className="flex h-7 items-center gap-0.5 pt-0.5 text-xs text-muted">
        {/* Where nothing was said: a failure has a place of its own, with what to do. */}
        {row.end && !row.end.error && <TurnEnd end={row.end} />}
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <IconButton
            icon={ChevronUp}
            label="Previous message of yours"
            size="small"
            onClick={() => around.jump(row, -1)}
          />
          <IconButton
            icon={ChevronDown}
            label="Next message of yours"
            size="small"
            onClick={() => around.jump(row, 1)}
          />
          <CopyText read={() => textsOf(row).join("\n\n")} />
          {message && mayEdit && (
            <IconButton
              icon={Pencil}
              label="Edit and run again"
              size="small"
              onClick={() => setEditing({ message })}
            />
          )}
        </span>
        {point && <BranchSwitch chatId={chatId} point={point} />}
      </div>
    </article>
  );
}

function AgentMessage({ chatId, row, isLive, around }: MessageRowProps) {
  const { message, end } = row;
  return (
    <article aria-label="Agent" aria-busy={isLive} className="group">
      <div className="flex flex-col gap-2">
        <Blocks blocks={row.blocks} chatId={chatId} role={row.role} live={isLive} />
      </div>
      {message && end && (
        <div className="flex min-h-7 flex-wrap items-center gap-1 pt-1 text-xs text-muted">
          <TurnEnd end={end} />
          <span className="flex items-center gap-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
            <CopyText read={() => around.turnText(row)} />
            <IconButton
              icon={Info}
              label="Details of this message"
              size="small"
              onClick={() => inspect(chatId, message.id)}
            />
            {message.model && <span>{message.model}</span>}
            {message.runtime_ms != null && <span>· {duration(message.runtime_ms)}</span>}
            <span>· {moment(message.created_at)}</span>
          </span>
        </div>
      )}
    </article>
  );
}

function CopyText({ read }: { read: () => string }) {
  const [copied, setCopied] = useState(false);
  return (
    <IconButton
      icon={copied ? Check : Copy}
      label={copied ? "Copied" : "Copy"}
      size="small"
      className={classes(copied && "text-good!")}
      onClick={() => {
        void navigator.clipboard.writeText(read()).then(() => {
          setCopied(true);
          setTimeout(() => setCopied(false), 1500);
        });
      }}
    />
  );
}

import { ArrowUp, CornerDownRight, GripVertical, Pencil, X } from "lucide-react";
import type { ComponentProps } from "react";
import type { Queued } from "@/api/types";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/text/words";
import { IconButton } from "@/ui/IconButton";
import { writtenIn } from "../composer/written";

const WHEN: Record<Queued["when"], string> = {
  queue: "after this turn",
  steer: "after this step",
  interrupt: "now",
};

interface QueueRowProps {
  queued: Queued;
  /** Who has sent it; null: the one who looks at it. */
  author: string | null;
  item: ComponentProps<"li">;
  /** What it is dragged by; null: there is no other place for it. */
  handle: ComponentProps<"button"> | null;
  isHeld: boolean;
  isReadOnly: boolean;
  onPromote: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

export function QueueRow({ queued, author, item, handle, isHeld, isReadOnly, ...does }: QueueRowProps) {
  const { text, files } = writtenIn(queued);
  const name = text || files.map((file) => file.name).join(", ");
  return (
    <li
      {...item}
      className={classes(
        "flex items-center gap-1 border-b border-line py-1 pr-1 pl-1.5 text-sm last:border-0",
        isHeld && "bg-hover",
      )}
    >
      {handle ? (
        <IconButton
          {...handle}
          icon={GripVertical}
          label={`Move ${name}`}
          size="small"
          hint={false}
          className="cursor-grab touch-none active:cursor-grabbing"
        />
      ) : (
        <CornerDownRight aria-hidden size={14} className="mx-1.5 shrink-0 text-muted" />
      )}
      <span className="min-w-0 flex-1 truncate">
        {author !== null && <span className="text-muted">{author}: </span>}
        {name}
      </span>
      <span className="shrink-0 px-1 text-xs text-muted max-sm:hidden">
        {files.length > 0 && `${plural(files.length, "file")} · `}
        {WHEN[queued.when]}
      </span>
      {!isReadOnly && (
        <>
          <IconButton
            icon={ArrowUp}
            label="Send now, and stop what runs"
            size="small"
            onClick={does.onPromote}
          />
          <IconButton icon={Pencil} label="Edit" size="small" onClick={does.onEdit} />
          <IconButton icon={X} label="Remove" size="small" onClick={does.onRemove} />
        </>
      )}
    </li>
  );
}

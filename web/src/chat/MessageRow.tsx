import { Check, Copy, Pencil } from "lucide-react";
import { memo, useState } from "react";
import { classes } from "@/lib/classes";
import { duration, moment } from "@/lib/time";
import type { Block, Row, ShownPart } from "@/live/rows";
import { PARTS, type PartProps, type ShownPartType } from "@/parts";
import { cardFor } from "@/tools";
import { IconButton } from "@/ui/IconButton";
import { BranchSwitch } from "./BranchSwitch";
import type { BranchPoint } from "./branches";
import { useEditing } from "./editing";
import { TurnEnd } from "./TurnEnd";

interface MessageRowProps {
  chatId: string;
  row: Row;
  isLive: boolean;
  point: BranchPoint | undefined;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-2">
      {props.row.role === "user" ? <UserMessage {...props} /> : <AgentMessage {...props} />}
    </div>
  );
});

function UserMessage({ chatId, row, point }: MessageRowProps) {
  const { setEditing } = useEditing();
  const { message } = row;
  return (
    <article aria-label="You" className="group flex flex-col items-end">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-sunken px-4 py-2.5">
        <Blocks chatId={chatId} row={row} isLive={false} />
      </div>
      <div className="flex h-7 items-center gap-0.5 pt-0.5 text-muted">
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <CopyText text={textOf(row)} />
          {message && (
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

function AgentMessage({ chatId, row, isLive }: MessageRowProps) {
  const { message } = row;
  const end = message?.turn_end;
  return (
    <article aria-label="Agent" aria-busy={isLive} className="group">
      <Blocks chatId={chatId} row={row} isLive={isLive} />
      {end && (
        <div className="flex min-h-7 flex-wrap items-center gap-1 pt-1 text-xs text-muted">
          <TurnEnd end={end} />
          <span className="flex items-center gap-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
            <CopyText text={textOf(row)} />
            {message.model && <span>{message.model}</span>}
            {message.runtime_ms != null && <span>· {duration(message.runtime_ms)}</span>}
            <span>· {moment(message.created_at)}</span>
          </span>
        </div>
      )}
    </article>
  );
}

interface BlocksProps {
  chatId: string;
  row: Row;
  isLive: boolean;
}

function Blocks({ chatId, row, isLive }: BlocksProps) {
  return (
    <div className="flex flex-col gap-3">
      {row.blocks.map((block, index) => (
        <OneBlock
          key={block.key}
          block={block}
          chatId={chatId}
          role={row.role}
          isLive={isLive && index === row.blocks.length - 1}
        />
      ))}
    </div>
  );
}

interface OneBlockProps {
  block: Block;
  chatId: string;
  role: Row["role"];
  isLive: boolean;
}

const OneBlock = memo(function OneBlock({ block, chatId, role, isLive }: OneBlockProps) {
  if (block.type === "call") {
    const Card = cardFor(block.call.name);
    return <Card chatId={chatId} call={block.call} />;
  }
  const Part = partFor(block.part);
  return <Part part={block.part} chatId={chatId} role={role} live={isLive} />;
});

/** The table has a component for each type; which one fits this part is known to it and not to the compiler. */
function partFor(part: ShownPart) {
  return PARTS[part.type] as React.ComponentType<PartProps<ShownPartType>>;
}

function textOf(row: Row): string {
  const texts = row.blocks.map((block) =>
    block.type === "part" && block.part.type === "text" ? block.part.text : "",
  );
  return texts.filter(Boolean).join("\n\n");
}

function CopyText({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  if (text === "") return null;
  return (
    <IconButton
      icon={copied ? Check : Copy}
      label={copied ? "Copied" : "Copy"}
      size="small"
      className={classes(copied && "text-good")}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true);
          setTimeout(() => setCopied(false), 1500);
        });
      }}
    />
  );
}

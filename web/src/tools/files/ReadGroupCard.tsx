/** Several reads in a row, as one line: an agent looks at many files before it does something. */

import { ChevronRight, CircleAlert, Files } from "lucide-react";
import { useId } from "react";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/text/words";
import type { ShownCall } from "@/live/rows/call";
import { Group } from "@/ui/Group";
import { Spinner } from "@/ui/Spinner";

import { foldModeOfTools, useFold } from "../frame/folds";
import { stateOf } from "../frame/state";
import { ReadCard } from "./ReadCard";

export function ReadGroupCard({ chatId, calls }: { chatId: string; calls: readonly ShownCall[] }) {
  const id = useId();
  const [isOpen, setOpen] = useFold(`group:${calls[0]?.messageId}:${calls[0]?.id}`, foldModeOfTools(), false);
  const states = calls.map(stateOf);
  const failed = states.filter((state) => state === "failed").length;
  const isRunning = states.includes("running");
  return (
    <Group label="read_file" className="my-0.5 min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full min-w-0 items-center gap-2 rounded-md px-1.5 text-left text-sm hover:bg-hover"
      >
        {isRunning ? (
          <Spinner className="text-accent" />
        ) : (
          <Files aria-hidden size={15} strokeWidth={1.75} className="shrink-0 text-muted" />
        )}
        <span className={classes("flex-1", isRunning ? "text-text" : "text-muted")}>
          {isRunning ? "Reading" : "Read"} <span className="text-text">{plural(calls.length, "file")}</span>
        </span>
        {failed > 0 && (
          <span className="flex items-center gap-1 text-xs text-bad">
            <CircleAlert aria-hidden size={13} /> {failed} failed
          </span>
        )}
        <ChevronRight
          aria-hidden
          size={14}
          className={classes("shrink-0 text-muted transition-transform", isOpen && "rotate-90")}
        />
      </button>
      {isOpen && (
        <div id={id} className="ml-1.5 min-w-0 border-l border-line pl-2.5">
          {calls.map((call) => (
            <ReadCard key={`${call.messageId} ${call.id}`} chatId={chatId} call={call} />
          ))}
        </div>
      )}
    </Group>
  );
}

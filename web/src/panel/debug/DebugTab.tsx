import { Download } from "lucide-react";
import { useState } from "react";
import { type DebugRun, useDebugRun, useDebugRuns } from "@/api/chats/inspect";
import { saveFile } from "@/lib/browser/saveFile";
import { plural } from "@/lib/text/words";
import { duration, moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Asked, Nothing } from "../Asked";
import { SaveAll } from "./SaveAll";
import { StepView } from "./StepView";

/** What was sent to models in each turn, and what came back, where that is kept. */
export function DebugTab({ chatId }: { chatId: string }) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Asked query={useDebugRuns(chatId)} what="Records">
      {({ runs }) =>
        runs.length === 0 ? (
          <Nothing>
            No turn of this chat was recorded. Records begin when you switch them on in the settings.
          </Nothing>
        ) : (
          <>
            <SaveAll key={chatId} chatId={chatId} runs={runs} />
            <ul className="divide-y divide-line">
              {runs.map((run) => (
                <RunRow
                  key={run.id}
                  run={run}
                  isOpen={open === run.id}
                  onToggle={() => setOpen(open === run.id ? null : run.id)}
                />
              ))}
            </ul>
          </>
        )
      }
    </Asked>
  );
}

const KINDS: Readonly<Record<DebugRun["kind"], string>> = {
  turn: "Turn",
  compaction: "Compaction",
  text: "Text",
};
const STATUSES: Readonly<Record<DebugRun["status"], { word: string; look: string }>> = {
  in_progress: { word: "Running", look: "text-accent" },
  completed: { word: "Done", look: "text-good" },
  interrupted: { word: "Stopped", look: "text-warn" },
  error: { word: "Failed", look: "text-bad" },
};

function RunRow({ run, isOpen, onToggle }: { run: DebugRun; isOpen: boolean; onToggle: () => void }) {
  const status = STATUSES[run.status];
  const took = run.finished_at ? Date.parse(run.finished_at) - Date.parse(run.started_at) : null;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full flex-col gap-0.5 px-4 py-2.5 text-left text-sm hover:bg-hover"
      >
        <span className="flex w-full items-baseline justify-between gap-2">
          <span className="min-w-0 truncate font-medium">{run.summary.first_message || KINDS[run.kind]}</span>
          <span className={`shrink-0 text-xs ${status.look}`}>{status.word}</span>
        </span>
        <span className="text-xs text-muted">
          {[
            KINDS[run.kind],
            `${run.provider}/${run.model}`,
            plural(run.summary.step_count, "step"),
            took === null ? null : duration(took),
            moment(run.started_at),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </button>
      {isOpen && <RunDetails chatId={run.chat_id} runId={run.id} />}
    </li>
  );
}

function RunDetails({ chatId, runId }: { chatId: string; runId: string }) {
  return (
    <Asked query={useDebugRun(chatId, runId)} what="The record">
      {(run) => (
        <div className="flex flex-col gap-3 px-4 pb-4">
          <Button
            size="small"
            className="self-start"
            onClick={() => saveFile(`run-${run.id}.json`, JSON.stringify(run, null, 2), "application/json")}
          >
            <Download aria-hidden size={14} /> Save as a file
          </Button>
          {(run.steps ?? []).map((step) => (
            <StepView key={step.number} step={step} />
          ))}
        </div>
      )}
    </Asked>
  );
}

import { Download } from "lucide-react";
import { useState } from "react";
import { type DebugRun, readDebugRun } from "@/api/chats/inspect";
import { sentence } from "@/api/errors";
import { saveFile } from "@/lib/browser/saveFile";
import { plural } from "@/lib/text/words";
import { Button } from "@/ui/Button";

interface SaveAllProps {
  chatId: string;
  runs: readonly DebugRun[];
}

/** All records in one file. Those that cannot be read are told of, and the others are saved without them. */
export function SaveAll({ chatId, runs }: SaveAllProps) {
  const [isBusy, setBusy] = useState(false);
  const [complaint, setComplaint] = useState<string | null>(null);

  async function save(): Promise<void> {
    setBusy(true);
    setComplaint(null);
    const { read, missing, why } = await readAll(chatId, runs);
    if (read.length > 0)
      saveFile(`records-${chatId}.json`, JSON.stringify({ runs: read }, null, 2), "application/json");
    if (missing > 0) setComplaint(`${complaintAbout(missing, runs.length)} ${why}`);
    setBusy(false);
  }

  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-2">
      <Button size="small" className="self-start" busy={isBusy} onClick={() => void save()}>
        {!isBusy && <Download aria-hidden size={14} />} Save all as a file
      </Button>
      {complaint && (
        <p role="alert" className="text-sm text-bad">
          {complaint}
        </p>
      )}
    </div>
  );
}

interface Records {
  read: DebugRun[];
  missing: number;
  /** Of the last one that could not be read. */
  why: string;
}

/** One after the other: a record can be large. */
async function readAll(chatId: string, runs: readonly DebugRun[]): Promise<Records> {
  const records: Records = { read: [], missing: 0, why: "" };
  for (const { id } of runs) {
    try {
      records.read.push(await readDebugRun(chatId, id));
    } catch (error) {
      records.missing += 1;
      records.why = sentence(error);
    }
  }
  return records;
}

function complaintAbout(missing: number, all: number): string {
  return missing === all
    ? "No record could be read, so no file was saved."
    : `${plural(missing, "record")} of ${all} could not be read: the file has the others.`;
}

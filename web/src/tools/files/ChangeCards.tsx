/** Cards of tools that change files: what they changed is shown at once, as a diff. */
import { FilePen, FilePlus2 } from "lucide-react";

import { fieldsOf } from "@/lib/json";
import { plural } from "@/lib/text/words";
import { Counts, FileDiffs } from "@/ui/diff/Diff";
import { changed, type FileDiff } from "@/ui/diff/parse";

import { Frame } from "../frame/Frame";
import { stateOf } from "../frame/state";
import type { ToolCardProps } from "../index";
import { editsOf, writeOf } from "./changes";

// A longer change is opened by who wants to see it.
const OPEN_LINES_MAX = 120;

export function EditCard({ call }: ToolCardProps) {
  const files = editsOf(call);
  const target =
    files.length === 1 ? files[0]?.path : files.length === 0 ? "files" : plural(files.length, "file");
  return (
    <Change
      call={call}
      files={files}
      icon={FilePen}
      verbs={["Editing", "Edited", "Could not edit"]}
      target={target}
    />
  );
}

export function WriteCard({ call }: ToolCardProps) {
  const files = writeOf(call);
  const isNew = fieldsOf(call.result?.result).created === true;
  const verbs = isNew
    ? (["Writing", "Created", "Could not write"] as const)
    : (["Writing", "Wrote", "Could not write"] as const);
  return (
    <Change
      call={call}
      files={files}
      icon={isNew ? FilePlus2 : FilePen}
      verbs={verbs}
      target={files[0]?.path}
    />
  );
}

interface ChangeProps extends Pick<Parameters<typeof Frame>[0], "call" | "icon" | "verbs" | "target"> {
  files: FileDiff[];
}

function Change({ call, files, ...line }: ChangeProps) {
  const counts = changed(files);
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  // While it is being said the card keeps its height: its diff would grow below the reader's eyes.
  const isWhole = call.part !== null;
  // A person who is asked sees the same, as the server would do it: the arguments alone do not tell whole lines.
  const isShown = isWhole && call.waiting === null && lines > 0;
  const isDone = stateOf(call) === "done";
  return (
    <Frame
      call={call}
      {...line}
      mono={files.length === 1}
      meta={isShown ? <Counts {...counts} /> : isDone ? "no change" : undefined}
      open={isDone && lines <= OPEN_LINES_MAX}
    >
      {isShown && <FileDiffs files={files} paths={files.length > 1} />}
    </Frame>
  );
}

import { X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { useSyncExternalStore } from "react";
import { classes } from "@/lib/classes";
import { IconButton } from "../IconButton";

export interface ToastNote {
  text: string;
  /** A failure stays longer, and is read out at once. */
  bad?: boolean;
  action?: { label: string; onSelect: () => void };
}

interface Shown extends ToastNote {
  id: number;
}

const TOASTS_MAX = 4;
const SHOWN_MS = 5_000;
const FAILURE_SHOWN_MS = 12_000;

let shown: readonly Shown[] = [];
let counted = 0;
const listeners = new Set<() => void>();

/** Says something at the top, for a while. For what has no better place of its own. What is said again is there once. */
export function toast(note: ToastNote): void {
  counted += 1;
  const others = shown.filter((each) => each.text !== note.text);
  set([...others, { ...note, id: counted }].slice(-TOASTS_MAX));
}

function set(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const remove = (id: number) => set(shown.filter((each) => each.id !== id));

/** Where they appear; once in the page. */
export function Toasts() {
  const notes = useSyncExternalStore(subscribe, () => shown);
  return (
    <Radix.Provider swipeDirection="up" label="Notice">
      {notes.map((note) => (
        <Radix.Root
          key={note.id}
          type={note.bad ? "foreground" : "background"}
          duration={note.bad ? FAILURE_SHOWN_MS : SHOWN_MS}
          onOpenChange={(open) => !open && remove(note.id)}
          className={classes(
            "flex items-start gap-2 rounded-lg border bg-raised py-2 pr-1.5 pl-3.5 text-sm shadow-raised",
            note.bad ? "border-bad" : "border-line",
          )}
        >
          <Radix.Description className="min-w-0 flex-1 py-1 break-words">{note.text}</Radix.Description>
          {note.action && (
            <Radix.Action
              altText={note.action.label}
              onClick={note.action.onSelect}
              className="rounded-md px-2 py-1 font-medium text-accent hover:bg-hover"
            >
              {note.action.label}
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton icon={X} label="Close" size="small" hint={false} />
          </Radix.Close>
        </Radix.Root>
      ))}
      {/* In the middle at the top there are no buttons: those of the composer, the queue and the panel stay free. */}
      <Radix.Viewport className="fixed top-14 left-1/2 z-50 flex w-[min(24rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-2 outline-none" />
    </Radix.Provider>
  );
}

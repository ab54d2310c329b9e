import { Keyboard, type LucideIcon, Moon, Settings, SquarePen, Sun } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type RowChat, useChatList, useChatSearch } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { filtersOf } from "@/chats/filters";
import { StatusIcon } from "@/chats/list/StatusIcon";
import { classes } from "@/lib/classes";
import { chooseTheme } from "@/lib/kept/theme";
import { ago } from "@/lib/time";
import { Spinner } from "@/ui/Spinner";

interface CommandPaletteProps {
  open: boolean;
  onClose: () => void;
  onNew: (() => void) | null;
  onList: () => void;
  onShortcuts: () => void;
}

interface Entry {
  key: string;
  label: string;
  note?: string;
  icon: React.ReactNode;
  run: () => void;
}

const RECENT_MAX = 8;

/** Finds chats by what was said in them, and anything that can be done. */
export function CommandPalette({ open, onClose, ...commands }: CommandPaletteProps) {
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12dvh] left-1/2 z-40 flex max-h-[70dvh] w-[min(40rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-raised"
        >
          <Radix.Title className="sr-only">Search chats and commands</Radix.Title>
          <Palette onClose={onClose} {...commands} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Palette({ onClose, onNew, onShortcuts }: Omit<CommandPaletteProps, "open">) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const [, navigate] = useLocation();
  const search = useSearch();
  const sought = useDeferredValue(text.trim());
  const found = useChatSearch(sought);
  const recent = useChatList(filtersOf(search));

  const chats = sought ? (found.data ?? []) : (recent.data?.pages[0]?.chats ?? []).slice(0, RECENT_MAX);
  const entries = [
    ...commandsOf({ onNew, onShortcuts, navigate }).filter((each) => includes(each.label, text)),
    ...chats.map((chat) => entryOf(chat, () => navigate(`/chats/${chat.id}${search && `?${search}`}`))),
  ];
  const at = Math.min(chosen, entries.length - 1);

  function run(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onClose();
    entry.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at + step + entries.length) % Math.max(1, entries.length));
    }
    if (event.key === "Enter") run(entries[at]);
  }

  return (
    <>
      <input
        role="combobox"
        aria-label="Search chats and commands"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={entries[at] && `${list}-${at}`}
        placeholder="Search chats, or type a command"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-[0.9375rem] outline-none"
      />
      <div id={list} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1.5">
        {entries.map((entry, index) => (
          <Option
            key={entry.key}
            id={`${list}-${index}`}
            entry={entry}
            isChosen={index === at}
            onRun={() => run(entry)}
          />
        ))}
      </div>
      <p role="status" className="px-4 pb-3 text-sm text-muted empty:hidden">
        {found.isFetching ? <Spinner label="Searching" /> : found.error ? sentence(found.error) : ""}
        {sought && found.data?.length === 0 && !found.isFetching ? "No chat has these words." : ""}
      </p>
    </>
  );
}

const includes = (label: string, text: string) => label.toLowerCase().includes(text.trim().toLowerCase());

function commandsOf(does: {
  onNew: (() => void) | null;
  onShortcuts: () => void;
  navigate: (to: string) => void;
}): Entry[] {
  const entry = (label: string, Icon: LucideIcon, run: () => void): Entry => ({
    key: label,
    label,
    icon: <Icon aria-hidden size={15} strokeWidth={1.75} />,
    run,
  });
  return [
    ...(does.onNew ? [entry("New chat", SquarePen, does.onNew)] : []),
    entry("Settings", Settings, () => does.navigate("/settings")),
    entry("Keyboard shortcuts", Keyboard, does.onShortcuts),
    entry("Light theme", Sun, () => chooseTheme("light")),
    entry("Dark theme", Moon, () => chooseTheme("dark")),
  ];
}

function entryOf(chat: RowChat, run: () => void): Entry {
  return {
    key: chat.id,
    label: chat.title || "New chat",
    note: chat.found?.snippet || ago(chat.updated_at),
    icon: <StatusIcon status={chat.status} />,
    run,
  };
}

interface OptionProps {
  id: string;
  entry: Entry;
  isChosen: boolean;
  onRun: () => void;
}

function Option({ id, entry, isChosen, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={onRun}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: "nearest" });
      }}
      className={classes(
        "flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm",
        isChosen && "bg-hover",
      )}
    >
      <span className="flex w-4 justify-center text-muted">{entry.icon}</span>
      <span className="min-w-0 shrink-0 max-w-3/5 truncate">{entry.label}</span>
      <span className="min-w-0 flex-1 truncate text-right text-xs text-muted">{entry.note}</span>
    </div>
  );
}

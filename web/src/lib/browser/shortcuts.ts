import { useEffect, useRef } from "react";

/** Every shortcut of the page: what it is called where shortcuts are listed, and its keys. */
export const SHORTCUTS = {
  palette: { keys: "Mod+K", label: "Search chats and commands" },
  newChat: { keys: "Mod+Shift+O", label: "New chat" },
  sidebar: { keys: "Mod+B", label: "Show or hide the list of chats" },
  panel: { keys: "Mod+.", label: "Show or hide details beside the chat" },
  composer: { keys: "/", label: "Write a message" },
  help: { keys: "?", label: "List these shortcuts" },
  next: { keys: "Alt+ArrowDown", label: "Next chat" },
  previous: { keys: "Alt+ArrowUp", label: "Previous chat" },
} as const;

export type Shortcut = keyof typeof SHORTCUTS;

const isMac = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.userAgent);

const SHOWN: Record<string, string> = {
  Mod: isMac ? "⌘" : "Ctrl",
  Shift: isMac ? "⇧" : "Shift",
  Alt: isMac ? "⌥" : "Alt",
  ArrowDown: "↓",
  ArrowUp: "↑",
};

/** As it is written on keys: `Ctrl+K`. */
export function keysOf(shortcut: Shortcut): string {
  const keys = SHORTCUTS[shortcut].keys.split("+").map((key) => SHOWN[key] ?? key);
  return keys.join(isMac ? "" : "+");
}

/** Calls the newest handler when the keys are pressed. A key alone is for text while somebody writes. */
export function useShortcut(shortcut: Shortcut, handler: () => void): void {
  const newest = useRef(handler);
  newest.current = handler;
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (!matches(event, SHORTCUTS[shortcut].keys) || event.defaultPrevented) return;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if ((isPlain && isWriting(event.target)) || isInDialog(event.target)) return;
      event.preventDefault();
      newest.current();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [shortcut]);
}

function matches(event: KeyboardEvent, keys: string): boolean {
  const wanted = keys.split("+");
  const key = wanted.at(-1) ?? "";
  const mod = isMac ? event.metaKey : event.ctrlKey;
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    mod === wanted.includes("Mod") &&
    event.altKey === wanted.includes("Alt") &&
    (isSign(key) || event.shiftKey === wanted.includes("Shift"))
  );
}

/** Whether a sign needs Shift is for the keyboard to say. */
const isSign = (key: string): boolean => key === "/" || key === "?";

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

/** A dialog keeps its keys to itself. */
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role="dialog"]') !== null;
}

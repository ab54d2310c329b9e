import { keysOf, SHORTCUTS, type Shortcut } from "@/lib/browser/shortcuts";
import { Dialog } from "@/ui/overlay/Dialog";

/** Keys that belong to a place, and are no shortcuts of the page. */
const IN_PLACE = [
  ["Enter", "Send the message"],
  ["Shift+Enter", "New line"],
  ["Esc", "Leave what is open, or stop the agent"],
  ["↑", "Earlier message, in an empty field"],
  ["/", "Commands, at the start of a message"],
  ["@", "Mention a file of the workspace"],
  ["Alt+Shift+↑ ↓", "Move a message that waits, or a pinned chat"],
] as const;

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const anywhere = (Object.keys(SHORTCUTS) as Shortcut[]).map(
    (each) => [keysOf(each), SHORTCUTS[each].label] as const,
  );
  return (
    <Dialog open={open} onOpenChange={(isOpen) => !isOpen && onClose()} title="Keyboard shortcuts">
      <List name="Anywhere" rows={anywhere} />
      <List name="While writing" rows={IN_PLACE} />
    </Dialog>
  );
}

function List({ name, rows }: { name: string; rows: readonly (readonly [string, string])[] }) {
  return (
    <section className="pb-4">
      <h3 className="pb-1 text-xs font-medium text-muted">{name}</h3>
      <dl className="text-sm">
        {rows.map(([keys, label]) => (
          <div key={label} className="flex justify-between gap-4 border-b border-line py-1.5 last:border-0">
            <dt>{label}</dt>
            <dd className="shrink-0">
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs">
                {keys}
              </kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

import { ChevronDown } from "lucide-react";
import type { When } from "@/api/types";
import { Menu } from "@/ui/overlay/Menu";

const MODES: Record<When, { label: string; note: string }> = {
  queue: { label: "Queue", note: "The agent hears it after this turn." },
  steer: { label: "Steer", note: "The agent hears it after its next step." },
  interrupt: { label: "Interrupt", note: "The agent stops and hears it now." },
};

const ORDER: readonly When[] = ["queue", "steer", "interrupt"];

/** When a busy agent hears the message. */
export function SendMode({ when, onChange }: { when: When; onChange: (when: When) => void }) {
  return (
    <Menu
      side="top"
      items={ORDER.map((each) => ({
        ...MODES[each],
        checked: each === when,
        onSelect: () => onChange(each),
      }))}
    >
      <button
        type="button"
        aria-label={`When the agent hears it: ${MODES[when].label}`}
        className="flex h-8 items-center gap-1 rounded-md px-2 text-[0.8125rem] text-muted hover:bg-hover hover:text-text"
      >
        {MODES[when].label}
        <ChevronDown aria-hidden size={13} />
      </button>
    </Menu>
  );
}

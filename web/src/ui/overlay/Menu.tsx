import { Check, type LucideIcon } from "lucide-react";
import { ContextMenu as Context, DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

/** What a menu offers: an action, one of several choices, or a line between groups. */
export type MenuItem =
  | {
      label: string;
      icon?: LucideIcon;
      /** The same by keyboard, shown at the right. */
      shortcut?: string;
      onSelect: () => void;
      disabled?: boolean;
      /** Why it cannot be chosen, or what it does beyond its label. */
      note?: string;
      danger?: boolean;
      /** Of a choice: whether it is the chosen one. */
      checked?: boolean;
    }
  | "line"
  | { heading: string };

const CONTENT =
  "z-50 max-h-[min(24rem,80dvh)] min-w-48 max-w-80 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised";

interface MenuProps {
  items: readonly MenuItem[];
  /** The element that opens it. */
  children: ReactNode;
  align?: "start" | "center" | "end";
  side?: "top" | "bottom";
  /** Somebody looks at it: what has to be asked for is asked for now. */
  onOpen?: () => void;
}

export function Menu({ items, children, align = "end", side = "bottom", onOpen }: MenuProps) {
  return (
    <Radix.Root modal={false} onOpenChange={(open) => open && onOpen?.()}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <section aria-label="Menu" className="contents">
          <Radix.Content align={align} side={side} sideOffset={4} collisionPadding={8} className={CONTENT}>
            {items.map((item, index) => row(Radix, item, index))}
          </Radix.Content>
        </section>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The same on a right click, a long press, or the menu key. */
export function ContextMenu({ items, children, onOpen }: Pick<MenuProps, "items" | "children" | "onOpen">) {
  return (
    <Context.Root modal={false} onOpenChange={(open) => open && onOpen?.()}>
      <Context.Trigger asChild>{children}</Context.Trigger>
      <Context.Portal>
        <section aria-label="Menu" className="contents">
          <Context.Content collisionPadding={8} className={CONTENT}>
            {items.map((item, index) => row(Context, item, index))}
          </Context.Content>
        </section>
      </Context.Portal>
    </Context.Root>
  );
}

function row(Kind: typeof Radix | typeof Context, item: MenuItem, index: number) {
  if (item === "line") return <Kind.Separator key={`line ${index}`} className="my-1 h-px bg-line" />;
  if ("heading" in item)
    return (
      <Kind.Label key={item.heading} className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {item.heading}
      </Kind.Label>
    );
  const look = classes(
    "flex items-start gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none",
    "data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-55",
    item.danger && "text-bad",
  );
  const common = { disabled: item.disabled, onSelect: item.onSelect, className: look };
  const Icon = item.checked ? Check : item.icon;
  const inside = (
    <>
      <span className="flex h-5 w-4 shrink-0 items-center justify-center">
        {Icon && <Icon aria-hidden size={15} strokeWidth={1.75} />}
      </span>
      <span className="min-w-0 flex-1">
        {item.label}
        {item.note && <span className="block text-xs text-muted">{item.note}</span>}
      </span>
      {item.shortcut && <kbd className="pl-3 font-sans text-xs leading-5 text-muted">{item.shortcut}</kbd>}
    </>
  );
  if (item.checked === undefined)
    return (
      <Kind.Item key={item.label} {...common}>
        {inside}
      </Kind.Item>
    );
  return (
    <Kind.CheckboxItem key={item.label} checked={item.checked} {...common}>
      {inside}
    </Kind.CheckboxItem>
  );
}

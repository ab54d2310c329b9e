import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

export interface Tab {
  id: string;
  label: string;
  /** After the label: a count, a mark. */
  badge?: ReactNode;
  content: ReactNode;
}

interface TabsProps {
  /** What the tabs are about, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
  /** At the end of the row of tabs. */
  actions?: ReactNode;
  className?: string;
}

export function Tabs({ label, tabs, value, onChange, actions, className }: TabsProps) {
  return (
    <Radix.Root
      value={value}
      onValueChange={onChange}
      className={classes("flex min-h-0 flex-col", className)}
    >
      <div className="flex items-center gap-1 border-b border-line px-2">
        <Radix.List aria-label={label} className="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              className={classes(
                "-mb-px flex h-10 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap",
                "text-muted transition-colors hover:text-text",
                "data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text",
              )}
            >
              {tab.label}
              {tab.badge}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          value={tab.id}
          className="min-h-0 flex-1 overflow-y-auto data-[state=inactive]:hidden"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

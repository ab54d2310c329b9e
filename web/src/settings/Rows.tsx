import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

/** Things of one kind, one below the other. */
export function Rows({
  label,
  children,
  ordered,
}: {
  label: string;
  children: ReactNode;
  ordered?: boolean;
}) {
  const List = ordered ? "ol" : "ul";
  return (
    <List aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {children}
    </List>
  );
}

interface RowProps {
  title: ReactNode;
  /** Beside the title: a mark, a state. */
  marks?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  /** Below all of it, over the whole width. */
  children?: ReactNode;
}

export function Row({ title, marks, note, actions, children }: RowProps) {
  return (
    <li className="px-4 py-3">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 font-medium break-words">{title}</span>
            {marks}
          </p>
          {note && <p className="mt-0.5 text-sm break-words text-muted">{note}</p>}
        </div>
        {actions && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
      </div>
      {children && <div className="mt-3 flex flex-col gap-3 empty:hidden">{children}</div>}
    </li>
  );
}

const LOOKS = {
  plain: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
} as const;

export type MarkLook = keyof typeof LOOKS;

/** A word on how something stands. */
export function Mark({ look = "plain", children }: { look?: MarkLook; children: ReactNode }) {
  return (
    <span className={classes("rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap", LOOKS[look])}>
      {children}
    </span>
  );
}

/** A sentence that should not be overlooked. */
export function Notice({ look = "plain", children }: { look?: MarkLook; children: ReactNode }) {
  return (
    <p className={classes("rounded-md px-3 py-2 text-sm", LOOKS[look], look === "plain" && "text-text")}>
      {children}
    </p>
  );
}

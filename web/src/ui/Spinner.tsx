import { classes } from "@/lib/classes";

/** Something goes on. With a label it is said to screen readers; without one, what is beside it says so. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  const look = classes(
    "inline-block size-3.5 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent",
    className,
  );
  if (label === undefined) return <span aria-hidden className={look} />;
  return <span role="status" aria-label={label} className={look} />;
}

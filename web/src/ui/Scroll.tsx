import type { ComponentProps } from "react";

/** What scrolls by itself: it has a name, and can be scrolled by keyboard. */
export function Scroll({ label, ...rest }: ComponentProps<"section"> & { label: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only what has the focus is scrolled by keys
  return <section {...rest} aria-label={label} tabIndex={0} />;
}

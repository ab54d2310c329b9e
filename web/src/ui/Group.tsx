import type { ComponentProps } from "react";

/** What belongs together and has a name. There are many on a page: a section each would be too many landmarks. */
export function Group({ label, ...rest }: ComponentProps<"div"> & { label: string }) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
  return <div role="group" {...rest} aria-label={label} />;
}

/** What scrolls by itself: it has a name, and can be scrolled by keyboard. */
export function Scroll(props: ComponentProps<typeof Group>) {
  return <Group {...props} tabIndex={0} />;
}

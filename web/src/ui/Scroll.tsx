import type { ComponentProps } from "react";

import { Group } from "./Group";

/** What scrolls by itself: it has a name, and can be scrolled by keyboard. */
export function Scroll(props: ComponentProps<typeof Group>) {
  return <Group {...props} tabIndex={0} />;
}

import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

const DELAY_MS = 500;

/** Wraps the whole page once. */
export function Tooltips({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={DELAY_MS}>{children}</Radix.Provider>;
}

interface TooltipProps {
  text: ReactNode;
  /** One element that takes a ref and events. */
  children: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
}

/** A hint on hover and focus. Never the only place of something: its owner has a name of its own. */
export function Tooltip({ text, children, side = "bottom" }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 rounded-md bg-text px-2 py-1 text-xs text-page"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

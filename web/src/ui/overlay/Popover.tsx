import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

interface PopoverProps {
  /** The element that opens it. */
  trigger: ReactNode;
  /** Its name for screen readers. */
  label: string;
  children: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}

export function Popover({
  trigger,
  label,
  children,
  open,
  onOpenChange,
  align = "start",
  side,
  className,
}: PopoverProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={classes(
            "z-50 max-h-[min(32rem,80dvh)] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg",
            "border border-line bg-raised p-3 shadow-raised outline-none",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

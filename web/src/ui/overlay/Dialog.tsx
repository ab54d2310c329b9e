import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";
import { IconButton } from "../IconButton";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** One or two sentences under the title. */
  description?: ReactNode;
  children: ReactNode;
  /** Buttons, the one that goes on last. */
  actions?: ReactNode;
  wide?: boolean;
}

export function Dialog({ open, onOpenChange, title, description, children, actions, wide }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          className={classes(
            "fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col",
            "w-[calc(100vw-2rem)] rounded-xl border border-line bg-raised shadow-raised",
            wide ? "max-w-3xl" : "max-w-md",
          )}
        >
          <header className="flex items-start gap-2 px-5 pt-4 pb-2">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label="Close" size="small" hint={false} className="-mr-1" />
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-2">{children}</div>
          {actions && <footer className="flex flex-wrap justify-end gap-2 px-5 pt-2 pb-4">{actions}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

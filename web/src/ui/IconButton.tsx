import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";
import { Tooltip } from "./Tooltip";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What it does: its name for those who cannot see the icon, and its tooltip. */
  label: string;
  /** Shown in the tooltip after the label. */
  shortcut?: string;
  size?: "small" | "normal";
  /** A menu or popover that belongs to it brings its own hint: then none is shown here. */
  hint?: boolean;
}

export function IconButton({
  icon: Icon,
  label,
  shortcut,
  size = "normal",
  hint = true,
  className,
  ...rest
}: IconButtonProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={classes(
        "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors",
        "hover:bg-hover hover:text-text disabled:cursor-not-allowed disabled:opacity-40",
        "aria-pressed:bg-accent-soft aria-pressed:text-accent",
        size === "small" ? "size-7" : "size-9",
        className,
      )}
    >
      <Icon aria-hidden size={size === "small" ? 15 : 18} strokeWidth={1.75} />
    </button>
  );
  if (!hint) return button;
  return <Tooltip text={shortcut ? `${label} (${shortcut})` : label}>{button}</Tooltip>;
}

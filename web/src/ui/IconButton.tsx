import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";
import { Tooltip } from "./overlay/Tooltip";

const SIZES = {
  small: { box: "size-7", icon: 15 },
  medium: { box: "size-8", icon: 17 },
  normal: { box: "size-9", icon: 18 },
} as const;

// Each has its own colours for the pointer above it: of two that a button would have, the sheet chooses one.
const LOOKS = {
  quiet: "text-muted hover:bg-hover hover:text-text aria-pressed:bg-accent-soft aria-pressed:text-accent",
  filled: "bg-hover text-text hover:bg-line",
  primary: "bg-accent text-accent-text hover:opacity-90",
} as const;

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What it does: its name for those who cannot see the icon, and its tooltip. */
  label: string;
  /** Shown in the tooltip after the label. */
  shortcut?: string;
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
  /** How large the icon is, where the usual size does not fit. */
  iconSize?: number;
  /** A menu or popover that belongs to it brings its own hint: then none is shown here. */
  hint?: boolean;
}

export function IconButton({
  icon: Icon,
  label,
  shortcut,
  look = "quiet",
  size = "normal",
  iconSize = SIZES[size].icon,
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
        "inline-flex shrink-0 items-center justify-center rounded-md transition-colors",
        "disabled:cursor-not-allowed disabled:opacity-40",
        LOOKS[look],
        SIZES[size].box,
        className,
      )}
    >
      <Icon aria-hidden size={iconSize} strokeWidth={1.75} />
    </button>
  );
  if (!hint) return button;
  return <Tooltip text={shortcut ? `${label} (${shortcut})` : label}>{button}</Tooltip>;
}

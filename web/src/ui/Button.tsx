import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";
import { Spinner } from "./Spinner";

const LOOKS = {
  primary: "bg-accent text-accent-text hover:opacity-90",
  secondary: "border border-line bg-raised hover:bg-hover",
  quiet: "hover:bg-hover",
  danger: "border border-line bg-raised text-bad hover:bg-bad-soft",
} as const;

const SIZES = {
  small: "h-7 px-2.5 text-[0.8125rem]",
  normal: "h-9 px-3.5 text-sm",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
  /** What was asked for is being done: the button stays, and cannot be pressed again. */
  busy?: boolean;
}

const SHAPE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none";

/** Of a link that looks like a button. */
export function buttonClasses(look: keyof typeof LOOKS, size: keyof typeof SIZES = "normal"): string {
  return classes(SHAPE, LOOKS[look], SIZES[size]);
}

export function Button({
  look = "secondary",
  size = "normal",
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classes(
        SHAPE,
        "transition-colors disabled:cursor-not-allowed disabled:opacity-50",
        LOOKS[look],
        SIZES[size],
        className,
      )}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

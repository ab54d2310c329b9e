import { type KeyboardEvent, type PointerEvent, useRef } from "react";

const STEP = 16;

interface ResizerProps {
  label: string;
  width: number;
  bounds: { least: number; most: number };
  onChange: (width: number) => void;
  /** What is resized is at its right. */
  isRight?: boolean;
}

/** A line that can be dragged, and moved with the arrow keys. */
export function Resizer({ label, width, bounds, onChange, isRight = false }: ResizerProps) {
  const begun = useRef<{ x: number; width: number } | null>(null);
  const towards = isRight ? -1 : 1;
  const change = (next: number) => onChange(Math.round(Math.min(bounds.most, Math.max(bounds.least, next))));

  function onKeyDown(event: KeyboardEvent): void {
    const steps = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    change(width + steps * towards);
  }

  function onPointerDown(event: PointerEvent<HTMLDivElement>): void {
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, width };
  }

  return (
    // A landmark, for what stands between two of them belongs to neither.
    <section aria-label={label} className="contents">
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved */}
      <div
        role="separator"
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={width}
        aria-valuemin={bounds.least}
        aria-valuemax={bounds.most}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={({ clientX }) =>
          begun.current && change(begun.current.width + (clientX - begun.current.x) * towards)
        }
        onPointerUp={() => {
          begun.current = null;
        }}
        className="relative z-10 w-px shrink-0 cursor-col-resize touch-none bg-line after:absolute after:inset-y-0 after:-left-1 after:w-2.5 hover:bg-accent focus-visible:bg-accent"
      />
    </section>
  );
}

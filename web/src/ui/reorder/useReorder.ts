import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { moved, placeAt } from "./order";

/** A hand that moves less than this presses, and does not drag. */
const DRAG_PX = 5;

interface Held {
  id: string;
  pointer: number;
  y: number;
  /** How the list would be if it were let go; null until it is moved. */
  order: readonly string[] | null;
}

/**
 * A list that can be put in another order, by dragging and by keyboard.
 *
 * `order` is what to show: an item that is held is where it would be left. `itemOf` is for the elements that
 * move, next to one another; `handleOf` for what they are dragged by, which may be the same. `said` is for
 * those who cannot see it.
 */
export function useReorder(
  ids: readonly string[],
  onReorder: (ids: readonly string[], movedId: string) => void,
) {
  const [held, setHeld] = useState<Held | null>(null);
  const [said, setSaid] = useState("");
  const wasDragged = useRef(false);
  const focused = useRef<{ element: Element | null; order: readonly string[] } | null>(null);

  // An element that moves in the page loses the focus.
  useEffect(() => {
    if (focused.current === null || !isSame(focused.current.order, ids)) return;
    if (focused.current.element instanceof HTMLElement) focused.current.element.focus();
    focused.current = null;
  });

  function leave(order: readonly string[], id: string): void {
    if (isSame(order, ids)) return;
    setSaid(`Moved to place ${order.indexOf(id) + 1} of ${order.length}`);
    onReorder(order, id);
  }

  function onKeyDown(id: string, event: KeyboardEvent): void {
    if (event.key === "Escape" && held?.order) {
      setHeld(null);
      event.stopPropagation();
      return;
    }
    const step = stepOf(event);
    const to = ids.indexOf(id) + step;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (to < 0 || to >= ids.length) return;
    const order = moved(ids, id, to);
    focused.current = { element: document.activeElement, order };
    leave(order, id);
  }

  function onPointerMove(event: PointerEvent): void {
    if (held?.pointer !== event.pointerId) return;
    if (held.order === null && Math.abs(event.clientY - held.y) < DRAG_PX) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    wasDragged.current = true;
    const place = placeAt(middlesBeside(event.currentTarget), event.clientY);
    setHeld({ ...held, order: moved(ids, held.id, place) });
  }

  return {
    order: held?.order ?? ids,
    heldId: held?.order ? held.id : null,
    said,
    itemOf: (id: string) => ({
      "data-reorder": id,
      onKeyDown: (event: KeyboardEvent) => onKeyDown(id, event),
    }),
    handleOf: (id: string) => ({
      "data-handle": "",
      onPointerDown: (event: PointerEvent) => {
        wasDragged.current = false;
        if (event.button === 0) setHeld({ id, pointer: event.pointerId, y: event.clientY, order: null });
      },
      onPointerMove,
      onPointerUp: () => {
        if (held?.order) leave(held.order, held.id);
        setHeld(null);
      },
      onPointerCancel: () => setHeld(null),
      // Links and pictures are otherwise dragged out of the page.
      onDragStart: (event: SyntheticEvent) => event.preventDefault(),
      // A link that was dragged is not followed.
      onClickCapture: (event: MouseEvent) => {
        if (!wasDragged.current) return;
        wasDragged.current = false;
        event.preventDefault();
        event.stopPropagation();
      },
    }),
  };
}

/** With Alt and Shift from anywhere in an item, or alone on a button that is there to move it. */
function stepOf({ key, altKey, shiftKey, ctrlKey, metaKey, target }: KeyboardEvent): number {
  const isGrip = target instanceof HTMLButtonElement && "handle" in target.dataset;
  const isAsked = altKey === shiftKey && (altKey || isGrip) && !ctrlKey && !metaKey;
  return isAsked ? ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0) : 0;
}

function middlesBeside(handle: Element): number[] {
  const item = handle.closest("[data-reorder]");
  const others = [...(item?.parentElement?.children ?? [])].filter(
    (each) => each !== item && each.hasAttribute("data-reorder"),
  );
  return others.map((each) => {
    const { top, height } = each.getBoundingClientRect();
    return top + height / 2;
  });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}

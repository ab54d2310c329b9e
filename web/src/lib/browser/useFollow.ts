import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** So close to the end counts as the end. */
const NEAR_PX = 48;
/** So close to the beginning, earlier messages are asked for. */
const EARLY_PX = 600;
/** A scroll so soon after a hand was on it is the reader's; any other is ours, or of what grew. */
const BY_HAND_MS = 600;
/** So long a reader who was taken to an earlier message is on the way: rows that are drawn may still move the end. */
const LEAVING_MS = 2000;

const HANDS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

/**
 * Stays at the end while more is said, but only for a reader who is there.
 *
 * `loadOlder` is null when there is nothing to load, or something is on its way.
 */
export function useFollow(scroller: RefObject<HTMLDivElement | null>, loadOlder: (() => void) | null) {
  const [isFollowing, setFollowing] = useState(true);
  const following = useRef(true);
  /** When the reader was last taken to an earlier message, if no hand was on it since. */
  const leftAt = useRef(Number.NEGATIVE_INFINITY);
  const older = useRef(loadOlder);
  older.current = loadOlder;

  const follow = useCallback((is: boolean) => {
    following.current = is;
    setFollowing(is);
  }, []);

  const toBottom = useCallback(() => {
    follow(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [follow, scroller]);

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    let handAt = Number.NEGATIVE_INFINITY;
    let lastTop = box.scrollTop;
    const hand = (event: Event) => {
      // A button in a message is pressed for its own sake; the scroll bar belongs to the box itself.
      if (event.type === "pointerdown" && event.target !== box) return;
      handAt = performance.now();
      leftAt.current = Number.NEGATIVE_INFINITY;
      // What comes into sight may take longer to draw than a hand is remembered.
      const isKey = event instanceof KeyboardEvent && event.target === box && UPWARD.has(event.key);
      if (isKey && box.scrollTop > 0) follow(false);
    };
    const loadIfEarly = () => {
      if (box.scrollTop < EARLY_PX && !following.current) older.current?.();
      // What does not fill the screen cannot be scrolled.
      if (box.scrollHeight <= box.clientHeight + 1) older.current?.();
    };
    const onScroll = () => {
      const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      const isByHand = performance.now() - handAt < BY_HAND_MS;
      const isLeaving = performance.now() - leftAt.current < LEAVING_MS;
      // Our own scroll to the end is told of late, perhaps to a reader who is leaving: it has moved nothing since.
      const hasMoved = Math.abs(box.scrollTop - lastTop) >= 1;
      lastTop = box.scrollTop;
      if (isAtEnd !== following.current && (isAtEnd ? hasMoved && !isLeaving : isByHand)) follow(isAtEnd);
      loadIfEarly();
    };
    const grown = new ResizeObserver(() => {
      if (following.current) {
        box.scrollTop = box.scrollHeight;
        lastTop = box.scrollTop;
      }
      loadIfEarly();
    });
    grown.observe(box);
    if (box.firstElementChild) grown.observe(box.firstElementChild);
    for (const kind of HANDS) box.addEventListener(kind, hand, { passive: true });
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      grown.disconnect();
      for (const kind of HANDS) box.removeEventListener(kind, hand);
      box.removeEventListener("scroll", onScroll);
    };
  }, [scroller, follow]);

  const stay = useCallback(() => {
    leftAt.current = performance.now();
    follow(false);
  }, [follow]);

  return { isFollowing, toBottom, stay };
}

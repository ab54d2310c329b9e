import { useState } from "react";

/** How much of something long is shown: 1 at first, and twice as much with each request for more. */
export function useMore(): [times: number, more: () => void] {
  const [times, setTimes] = useState(1);
  return [times, () => setTimes(times * 2)];
}

interface MoreProps {
  /** In characters. */
  shown: number;
  length: number;
  onMore: () => void;
}

/** Asks for more of a text that is shown in part. */
export function More({ shown, length, onMore }: MoreProps) {
  return (
    <button type="button" onClick={onMore} className="mt-2 rounded-md text-sm text-accent hover:underline">
      Show more: {shown.toLocaleString()} of {length.toLocaleString()} characters are shown
    </button>
  );
}

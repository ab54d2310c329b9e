import { visible } from "@/lib/text/visible";

import { beginningOf } from "./beginning";
import { More, useMore } from "./More";

/** Words as they were written. Of very many, the first ones. */
export function LongText({ text }: { text: string }) {
  const [times, more] = useMore();
  const shown = beginningOf(text, times);
  return (
    <>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {visible(shown)}
      </p>
      {shown.length < text.length && <More shown={shown.length} length={text.length} onMore={more} />}
    </>
  );
}

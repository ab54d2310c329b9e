/** A formula. Its typesetter is loaded with the first one; until then it is shown as it was written. */
import { lazy, Suspense } from "react";
import { Boundary } from "../boundary/Boundary";

const Typeset = lazy(() => import("./Formula"));

export function Formula({ text, block = false }: { text: string; block?: boolean }) {
  const asWritten = <code>{text}</code>;
  return (
    <Boundary what="A formula" otherwise={asWritten}>
      <Suspense fallback={asWritten}>
        <Typeset text={text} block={block} />
      </Suspense>
    </Boundary>
  );
}

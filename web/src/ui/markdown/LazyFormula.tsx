/** A formula. Its typesetter is loaded with the first one; until then it is shown as it was written. */
import { lazy, Suspense } from "react";

const Typeset = lazy(() => import("./Formula"));

export function Formula({ text, block = false }: { text: string; block?: boolean }) {
  return (
    <Suspense fallback={<code>{text}</code>}>
      <Typeset text={text} block={block} />
    </Suspense>
  );
}

import { useState } from "react";

/** Something is asked of the server, once: until it has answered, and after a failure again. */
export function useAnswer() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const run = (act: () => Promise<void> | undefined) => {
    setBusy(true);
    setFailure("");
    Promise.resolve(act())
      .catch((error: unknown) => {
        setFailure(error instanceof Error ? error.message : String(error));
      })
      // What was answered leaves the page with the next event of the stream.
      .finally(() => setBusy(false));
  };
  return { busy, failure, run };
}

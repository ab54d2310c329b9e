/** Hidden pages have no frames; their work is done this late. */
const HIDDEN_MS = 250;

/** Calls `work` once in the next frame, however often it is asked to. */
export function oncePerFrame(work: () => void): () => void {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    work();
  }

  return () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(run);
    timer = setTimeout(run, HIDDEN_MS);
  };
}

/** The words of a command line (pure): separated by blanks, held together by quotes. */
export function wordsIn(typed: string): string[] {
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? "",
  );
}

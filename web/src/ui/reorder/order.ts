/** Places in a list (pure). */

/** The list with one item at another place. */
export function moved<T>(list: readonly T[], item: T, to: number): readonly T[] {
  return list.filter((each) => each !== item).toSpliced(to, 0, item);
}

/** Where an item belongs that is held at this height: behind the others whose middle is above it. */
export function placeAt(middles: readonly number[], height: number): number {
  return middles.filter((middle) => middle < height).length;
}

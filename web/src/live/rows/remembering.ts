/**
 * Makes something of a key and facts about it, and answers with the same object while the facts are the same:
 * what is the same is not drawn again. Forgotten with the key.
 */
export function remembering<K extends object, V>(): (key: K, facts: readonly unknown[], make: () => V) => V {
  const made = new WeakMap<K, { facts: readonly unknown[]; value: V }>();
  return (key, facts, make) => {
    const before = made.get(key);
    if (before && isSame(before.facts, facts)) return before.value;
    const value = make();
    made.set(key, { facts, value });
    return value;
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}

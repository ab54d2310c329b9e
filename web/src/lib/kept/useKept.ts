import { useCallback, useState } from "react";
import { keep, readKept } from "./kept";

/** State of a component that survives a reload. */
export function useKept<T>(key: string, otherwise: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => readKept(key, otherwise));
  const change = useCallback(
    (next: T) => {
      setValue(next);
      keep(key, next);
    },
    [key],
  );
  return [value, change];
}

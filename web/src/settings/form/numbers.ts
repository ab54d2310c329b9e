/** What is typed as a number (pure). */

/** What is wrong with a field for whole numbers from 0 on: an entry for a form's errors, or none. */
export function wholeNumber(name: string, typed: string, max: number, min = 0): Record<string, string> {
  const value = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return {};
  return { [name]: `Enter a whole number from ${min.toLocaleString()} to ${max.toLocaleString()}.` };
}

/** `200,000` and `200 000` and `200k`: as people write tokens. Null: it is none of that. */
export function tokensOf(typed: string): number | null {
  const found = /^(\d[\d\s,_.']*?)\s*([km]?)$/i.exec(typed.trim());
  if (!found) return null;
  const digits = (found[1] ?? "").replace(/[\s,_.']/g, "");
  const factor = { k: 1_000, m: 1_000_000 }[found[2]?.toLowerCase() ?? ""] ?? 1;
  return Number(digits) * factor;
}

/** Millionths for a million tokens, as `3.00`: what people call the price. */
export function priceOf(millionths: number): string {
  return (millionths / 1_000_000).toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });
}

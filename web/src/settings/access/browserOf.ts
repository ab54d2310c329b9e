/** What a browser calls itself, in words that people know it by (pure). Rows are tried from the top. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux/, "Linux"],
];

export function browserOf(name: string): string {
  const browser = BROWSERS.find(([looks]) => looks.test(name))?.[1];
  const system = SYSTEMS.find(([looks]) => looks.test(name))?.[1];
  if (browser === undefined) return name.trim() || "Unknown browser";
  return system ? `${browser} on ${system}` : browser;
}

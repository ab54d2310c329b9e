import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const SOURCE = join(import.meta.dirname, "..", "src");

/** A folder may import from lines above its own. */
const LINES = [
  ["lib"],
  ["ui"],
  ["api"],
  ["live"],
  ["parts", "tools", "people"],
  ["chat", "chats", "settings", "panel", "guest"],
  ["app", "docs", "gallery"],
  ["main.tsx"],
];

/** Neighbours on one line that may look at each other: a message holds calls, and a card shows parts. */
const TOGETHER = new Set(["parts", "tools"]);

const IMPORT = /(?:from|import)\s*\(?\s*"(?<target>@\/[^"]+|\.{1,2}\/[^"]+)"/g;

function folderOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function lineOf(folder: string): number {
  return LINES.findIndex((line) => line.includes(folder));
}

function isAllowed(from: string, to: string): boolean {
  return from === to || lineOf(to) < lineOf(from) || (TOGETHER.has(from) && TOGETHER.has(to));
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(({ groups }) => {
    const target = groups?.target ?? "";
    return target.startsWith("@/") ? target.slice(2) : normalize(join(dirname(file), target));
  });
}

const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(SOURCE, join(entry.parentPath, entry.name)));

test("every folder has its line", () => {
  expect([...new Set(files.map(folderOf))].filter((folder) => lineOf(folder) < 0)).toEqual([]);
});

test("imports point up the lines, and features do not know one another", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file, readFileSync(join(SOURCE, file), "utf8"))
      .filter((target) => !isAllowed(folderOf(file), folderOf(target)))
      .map((target) => `${file} imports ${target}`),
  );

  expect(wrong).toEqual([]);
});

test("an import that points the wrong way is found", () => {
  expect(importsOf("chat/a.tsx", 'import { b } from "@/chats/b";\nimport("../app/c");')).toEqual([
    "chats/b",
    "app/c",
  ]);
  expect(isAllowed("chat", "chats")).toBe(false);
  expect(isAllowed("chat", "app")).toBe(false);
  expect(isAllowed("app", "chat")).toBe(true);
});

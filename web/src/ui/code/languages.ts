/** The languages that are highlighted, each loaded when it is first met. */
import type { LanguageInput } from "shiki/core";

type Load = () => Promise<{ default: LanguageInput }>;

const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

// Names and endings of files by which people call them.
const ALIASES: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  h: "c",
  cc: "c",
  cpp: "c",
  "c++": "c",
  hpp: "c",
  patch: "diff",
  dockerfile: "docker",
  golang: "go",
  htm: "html",
  vue: "html",
  svg: "xml",
  cfg: "ini",
  conf: "ini",
  env: "ini",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "tsx",
  jsonc: "json",
  jsonl: "json",
  makefile: "make",
  md: "markdown",
  mdx: "markdown",
  py: "python",
  py3: "python",
  pyi: "python",
  rs: "rust",
  ts: "typescript",
  mts: "typescript",
  yml: "yaml",
};

/** The name under which it is known here, or null. */
export function languageOf(name: string): string | null {
  const lower = name.toLowerCase();
  const known = ALIASES[lower] ?? lower;
  return Object.hasOwn(LANGUAGES, known) ? known : null;
}

/** By the ending of a file's name. */
export function languageOfPath(path: string): string {
  return path.split("/").pop()?.split(".").pop() ?? "";
}

export async function loadLanguage(known: string): Promise<LanguageInput> {
  const load = LANGUAGES[known];
  if (load === undefined) throw new Error(`${known} is no language that is highlighted here`);
  return (await load()).default;
}

/** What there is to know of each type of provider before one is added: a row for each. */

import type { ProviderSettings, ProviderType } from "@/api/catalog/providers";

export type ExtraField = "region" | "project" | "location" | "api_version";

export interface ProviderKind {
  type: ProviderType;
  label: string;
  /** The name that is proposed. */
  name: string;
  key: "needed" | "optional" | "none";
  /** What its keys look like. */
  keyLooks?: string;
  /** Whether it is at an address of its own. */
  address: "needed" | "optional" | "none";
  addressLooks?: string;
  extra: readonly ExtraField[];
  help: string;
}

export const KINDS: readonly ProviderKind[] = [
  {
    type: "anthropic",
    label: "Anthropic",
    name: "anthropic",
    key: "needed",
    keyLooks: "sk-ant-…",
    address: "optional",
    extra: [],
    help: "Claude. Keys are made in the Anthropic console.",
  },
  {
    type: "openai",
    label: "OpenAI",
    name: "openai",
    key: "needed",
    keyLooks: "sk-…",
    address: "optional",
    extra: [],
    help: "GPT models. Keys are made on OpenAI's platform pages.",
  },
  {
    type: "google",
    label: "Google Gemini",
    name: "google",
    key: "needed",
    keyLooks: "AIza…",
    address: "none",
    extra: ["project", "location"],
    help: "Gemini with a key of AI Studio; with a project, through Vertex.",
  },
  {
    type: "openrouter",
    label: "OpenRouter",
    name: "openrouter",
    key: "needed",
    keyLooks: "sk-or-…",
    address: "none",
    extra: [],
    help: "Models of many makers with one key.",
  },
  {
    type: "openai-compatible",
    label: "OpenAI-compatible server",
    name: "local",
    key: "optional",
    address: "needed",
    addressLooks: "http://127.0.0.1:8000/v1",
    extra: [],
    help: "vLLM, LM Studio, llama.cpp, or any service that speaks Chat Completions.",
  },
  {
    type: "ollama",
    label: "Ollama",
    name: "ollama",
    key: "none",
    address: "optional",
    addressLooks: "http://127.0.0.1:11434",
    extra: [],
    help: "Models on your own machine. No key is needed.",
  },
  {
    type: "azure",
    label: "Azure OpenAI",
    name: "azure",
    key: "needed",
    address: "needed",
    addressLooks: "https://name.openai.azure.com",
    extra: ["api_version"],
    help: "Deployments of your Azure resource.",
  },
  {
    type: "bedrock",
    label: "Amazon Bedrock",
    name: "bedrock",
    key: "needed",
    address: "none",
    extra: ["region"],
    help: "With a Bedrock API key of your region.",
  },
  {
    type: "vercel",
    label: "Vercel AI Gateway",
    name: "vercel",
    key: "needed",
    address: "none",
    extra: [],
    help: "Models of many makers through Vercel.",
  },
];

export const EXTRA_FIELDS: Readonly<Record<ExtraField, { label: string; help: string }>> = {
  region: { label: "Region", help: "Such as eu-central-1." },
  project: {
    label: "Google Cloud project",
    help: "Only for Vertex; leave it empty with a key of AI Studio.",
  },
  location: { label: "Location", help: "Only for Vertex, such as europe-west4." },
  api_version: { label: "API version", help: "Leave it empty for the newest one." },
};

export const kindOf = (type: ProviderType): ProviderKind | undefined =>
  KINDS.find((kind) => kind.type === type);

export interface ProviderValues extends Record<ExtraField, string> {
  type: ProviderType;
  name: string;
  display_name: string;
  base_url: string;
  api_key: string;
  user_keys_allowed: boolean;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** What is missing before the server is asked. */
export function problemsOf(values: ProviderValues, kind: ProviderKind): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!NAME.test(values.name))
    problems.name = "Use lower-case letters, digits and single hyphens, such as my-provider.";
  if (kind.address === "needed" && values.base_url.trim() === "")
    problems.base_url = "Enter the address of the server.";
  if (
    kind.key === "needed" &&
    values.api_key.trim() === "" &&
    !values.user_keys_allowed &&
    values.project === ""
  )
    problems.api_key = "Enter a key, or let users bring their own.";
  return problems;
}

/** Only what was entered; an empty field means that the server decides. */
export function settingsOf(values: ProviderValues, kind: ProviderKind): ProviderSettings {
  const entered = kind.extra.filter((name) => values[name].trim() !== "");
  return Object.fromEntries(entered.map((name) => [name, values[name].trim()]));
}

/** `anthropic`, or `anthropic-2` when that is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

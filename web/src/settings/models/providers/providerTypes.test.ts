import { expect, test } from "vitest";
import {
  freeName,
  kindOf,
  type ProviderKind,
  type ProviderValues,
  problemsOf,
  settingsOf,
} from "./providerTypes";

const EMPTY: ProviderValues = {
  type: "anthropic",
  name: "acme",
  display_name: "",
  base_url: "",
  api_key: "",
  user_keys_allowed: false,
  region: "",
  project: "",
  location: "",
  api_version: "",
};
const kind = (type: ProviderValues["type"]): ProviderKind => kindOf(type) as ProviderKind;

test("a key and an address are asked for where the provider needs them", () => {
  expect(Object.keys(problemsOf(EMPTY, kind("anthropic")))).toEqual(["api_key"]);
  expect(problemsOf({ ...EMPTY, user_keys_allowed: true }, kind("anthropic"))).toEqual({});
  expect(Object.keys(problemsOf(EMPTY, kind("openai-compatible")))).toEqual(["base_url"]);
  expect(problemsOf(EMPTY, kind("ollama"))).toEqual({});
  expect(Object.keys(problemsOf({ ...EMPTY, name: "My One" }, kind("ollama")))).toEqual(["name"]);
});

test("only fields of the chosen type are sent, and only those that were filled", () => {
  const values = { ...EMPTY, region: " eu-central-1 ", project: "x" };
  expect(settingsOf(values, kind("bedrock"))).toEqual({ region: "eu-central-1" });
  expect(settingsOf(values, kind("anthropic"))).toEqual({});
});

test("a proposed name is one that is not taken", () => {
  expect(freeName("openai", [])).toBe("openai");
  expect(freeName("openai", ["openai", "openai-2"])).toBe("openai-3");
});

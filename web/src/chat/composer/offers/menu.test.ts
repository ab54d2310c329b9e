import { expect, test } from "vitest";
import { commandsFor, type Skill, triggerAt } from "./menu";

const at = (text: string) => triggerAt(text, text.length);

// proves web-ui 49
test("a slash opens commands only at the start of a message", () => {
  expect(at("/")).toEqual({ kind: "/", text: "", from: 0 });
  expect(at("/com")).toEqual({ kind: "/", text: "com", from: 0 });
  expect(at("see https:/")).toBeNull();
  expect(at("a /com")).toBeNull();
  expect(at("/com pact")).toBeNull();
  expect(at("/personal/com")).toEqual({ kind: "/", text: "personal/com", from: 0 });
  expect(at("/a/b/c")).toBeNull();
});

test("an at sign mentions a file at the start of a word, and is left alone in an address", () => {
  expect(at("look at @src/a")).toEqual({ kind: "@", text: "src/a", from: 8 });
  expect(at("@")).toEqual({ kind: "@", text: "", from: 0 });
  expect(at("me@example")).toBeNull();
});

const COMMANDS = [{ name: "compact", label: "Sum up" }, { name: "plan" }];
const skill = (name: string, origin: Skill["origin"]): Skill => ({
  name,
  origin,
  description: `${origin} skill`,
});
const offered = (sought: string, ...skills: Skill[]) =>
  commandsFor(sought, COMMANDS, skills).map(({ name, insert, label }) => insert ?? `${name}: ${label}`);

// proves web-ui 48
test("the beginning of a name offers the command, or a skill that has its name", () => {
  expect(offered("com")).toEqual(["compact: Sum up"]);
  expect(offered("com", skill("compact", "workspace"))).toEqual(["/compact "]);
  expect(offered("com", skill("compact", "personal"), skill("commit", "personal"))).toEqual([
    "/compact ",
    "/commit ",
  ]);
});

test("two skills of one name are offered with where they come from", () => {
  expect(offered("rev", skill("review", "workspace"), skill("review", "personal"))).toEqual([
    "/workspace/review ",
    "/personal/review ",
  ]);
  expect(offered("personal/", skill("review", "workspace"), skill("review", "personal"))).toEqual([
    "/personal/review ",
  ]);
});

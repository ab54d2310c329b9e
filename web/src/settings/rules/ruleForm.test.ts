import { expect, test } from "vitest";
import type { Rule } from "@/api/catalog/rules";
import { NEW_RULE, patternsIn, placeOf, ruleBody } from "./ruleForm";

test("patterns stand on lines or between commas", () => {
  expect(patternsIn("docs/**, src/*.py\n\n tests/** ")).toEqual(["docs/**", "src/*.py", "tests/**"]);
});

test("a rule without a tool is for all tools", () => {
  expect(ruleBody({ ...NEW_RULE, verdict: "allow", words: "ls *" })).toEqual({
    verdict: "allow",
    tool: "*",
    words: ["ls", "*"],
    paths: [],
    hosts: [],
    workspace: "",
  });
});

test("the place of a rule is counted among the user's own", () => {
  const rules = [
    { id: "server", source: "deployment" },
    { id: "one", source: "user" },
    { id: "two", source: "user" },
  ] as Rule[];
  expect(placeOf(rules, "two")).toEqual({ place: 1, last: 1 });
});

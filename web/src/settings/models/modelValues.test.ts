import { expect, test } from "vitest";
import { modelBody, modelProblems, NEW_MODEL } from "./modelValues";

test("a new model is well as it is: what is publicly known counts", () => {
  expect(modelProblems(NEW_MODEL)).toEqual({});
  expect(modelBody(NEW_MODEL)).toEqual({
    display_name: "",
    compression_threshold: 70,
    options: { reasoning_effort: null },
  });
});

// proves web-ui 63
test("what cannot be is named at its field", () => {
  expect(Object.keys(modelProblems({ ...NEW_MODEL, context_limit: "much" }))).toEqual(["context_limit"]);
  expect(Object.keys(modelProblems({ ...NEW_MODEL, compression_threshold: "101" }))).toEqual([
    "compression_threshold",
  ]);
  expect(Object.keys(modelProblems({ ...NEW_MODEL, effort_default: "low" }))).toEqual(["effort_default"]);
  expect(Object.keys(modelProblems({ ...NEW_MODEL, effort_default: "high", effort_max: "low" }))).toEqual([
    "effort_default",
  ]);
});

test("options that the form does not show are kept", () => {
  const body = modelBody({ ...NEW_MODEL, effort_max: "high", context_limit: "200k" }, { temperature: 0.5 });
  expect(body.options).toEqual({ temperature: 0.5, reasoning_effort: { max: "high", default: null } });
  expect(body.context_limit).toBe(200_000);
});

import { expect, test } from "vitest";
import { ApiError } from "@/api/errors";
import { begin, change, changedFields, fail, follow, isDirty, saved, saving, undo } from "./form";

const EMPTY = { name: "", region: "", efforts: ["low"] };

test("a form is dirty by its values, not by having been touched", () => {
  const touched = change(begin(EMPTY), { name: "acme", efforts: ["low"] });
  expect(changedFields(touched)).toEqual(["name"]);
  expect(isDirty(change(touched, { name: "" }))).toBe(false);
  expect(undo(touched)).toEqual(begin(EMPTY));
});

test("the server's sentence goes to the field that it names, also inside of another", () => {
  const refusal = (field: string | null) =>
    new ApiError({ status: 400, code: "bad_value", message: "It is no region.", field, hint: "Try eu." });
  expect(fail(begin(EMPTY), refusal("settings.region")).errors).toEqual({
    region: "It is no region. Try eu.",
  });
  expect(fail(begin(EMPTY), refusal("name")).errors).toEqual({ name: "It is no region. Try eu." });
  expect(fail(begin(EMPTY), refusal("elsewhere"))).toMatchObject({
    errors: {},
    error: "It is no region. Try eu.",
  });
  expect(fail(begin(EMPTY), refusal(null)).error).toBe("It is no region. Try eu.");
});

test("a failure leaves what was typed, and the next change of the field takes its error away", () => {
  const typed = change(begin(EMPTY), { name: "bad name" });
  const failed = fail(saving(typed), new ApiError({ status: 400, code: "x", message: "No.", field: "name" }));
  expect(failed.values).toEqual(typed.values);
  expect(change(failed, { region: "eu" }).errors).toEqual({ name: "No." });
  expect(change(failed, { name: "good" }).errors).toEqual({});
});

test("what is typed while it is saved is still to be saved", () => {
  const sent = change(begin(EMPTY), { name: "one" });
  const meanwhile = change(saving(sent), { name: "two" });
  const after = saved(meanwhile, sent.values, sent.initial);
  expect(changedFields(after)).toEqual(["name"]);
  expect(after.initial.name).toBe("one");
});

test("what the server made of a text is shown, and is not to be saved again", () => {
  const sent = change(begin(EMPTY), { name: " acme  " });
  const told = follow(saving(sent), { ...EMPTY, name: "acme" });
  const after = saved(told, sent.values, sent.initial);
  expect(after.values.name).toBe("acme");
  expect(isDirty(after)).toBe(false);
});

test("news from the server reach the fields that were not touched", () => {
  const typed = change(begin(EMPTY), { name: "mine" });
  expect(follow(typed, { name: "theirs", region: "eu", efforts: [] }).values).toEqual({
    name: "mine",
    region: "eu",
    efforts: [],
  });
});

// @vitest-environment jsdom
import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { Around } from "../../../../tests/rendered";
import { json, server } from "../../../../tests/server";
import { useChoice } from "./choice";

const model = (name: string, more: object = {}) => ({
  name,
  enabled: true,
  available: true,
  is_default: false,
  reasoning_efforts: ["low", "high"],
  ...more,
});

beforeEach(() => localStorage.clear());

async function choosing(lastModel: string | null, ...models: object[]) {
  return choosingWith(null, lastModel, ...models);
}

/** With what the user has chosen in the settings. */
async function choosingWith(own: string | null, lastModel: string | null, ...models: object[]) {
  server(({ what }) => json(what.endsWith("/settings") ? { model: own } : { models }));
  const { result } = renderHook(() => useChoice(lastModel), { wrapper: Around });
  await waitFor(() => expect(result.current.isLoading).toBe(false));
  return result;
}

// proves web-ui 19
test("each model keeps its own effort", async () => {
  const choice = await choosing(null, model("p/a"), model("p/b"));
  act(() => choice.current.chooseEffort("high"));
  expect(choice.current).toMatchObject({ model: { name: "p/a" }, effort: "high" });

  act(() => choice.current.chooseModel("p/b"));
  expect(choice.current).toMatchObject({ model: { name: "p/b" }, effort: null });

  act(() => choice.current.chooseModel("p/a"));
  expect(choice.current).toMatchObject({ model: { name: "p/a" }, effort: "high" });
});

// proves web-ui 18
test("the model of the user's settings is there first, and one that is chosen wins", async () => {
  localStorage.setItem("chatd.model", JSON.stringify("p/b"));
  const models = [model("p/a", { is_default: true }), model("p/b"), model("p/own")];
  const choice = await choosingWith("p/own", null, ...models);
  expect(choice.current.model?.name).toBe("p/own");

  act(() => choice.current.chooseModel("p/b"));
  expect(choice.current.model?.name).toBe("p/b");
});

test("a chat goes on with its last model, whatever the settings say", async () => {
  const choice = await choosingWith("p/own", "p/a", model("p/a"), model("p/own"));
  expect(choice.current.model?.name).toBe("p/a");
});

test("an effort that a model does not have any more counts for nothing", async () => {
  localStorage.setItem("chatd.effort.p/a", JSON.stringify("max"));
  const choice = await choosing(null, model("p/a"));

  expect(choice.current.effort).toBeNull();
});

test("what was chosen counts first, then the model of the chat, the last one that was used, and the default", async () => {
  const all = [model("p/first"), model("p/default", { is_default: true }), model("p/used"), model("p/chats")];
  expect((await choosing(null, ...all)).current.model?.name).toBe("p/default");

  localStorage.setItem("chatd.model", JSON.stringify("p/used"));
  expect((await choosing(null, ...all)).current.model?.name).toBe("p/used");

  const choice = await choosing("p/chats", ...all);
  expect(choice.current.model?.name).toBe("p/chats");
  act(() => choice.current.chooseModel("p/first"));
  expect(choice.current.model?.name).toBe("p/first");
});

// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import type { DebugRun } from "@/api/chats/inspect";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { SaveAll } from "./SaveAll";

const RUNS = ["one", "two", "three"].map((id) => ({ id, chat_id: "c" }) as DebugRun);
const saved: Blob[] = [];

beforeEach(() => {
  saved.length = 0;
  // What jsdom does not have, and what it would follow.
  URL.createObjectURL = (file) => `blob:${saved.push(file as Blob)}`;
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
});

/** A server that has lost these records. */
function save(...lost: string[]): void {
  server(({ what }) => {
    const id = what.slice(what.lastIndexOf("/") + 1);
    return lost.includes(id) ? refusal(404, "There is no such record.") : json({ id });
  });
  show(<SaveAll chatId="c" runs={RUNS} />);
  fireEvent.click(screen.getByRole("button", { name: "Save all as a file" }));
}

const idsOf = async (file: Blob | undefined): Promise<string[]> =>
  JSON.parse((await file?.text()) ?? "{}").runs.map((run: DebugRun) => run.id);

// proves web-ui 59
test("a record that cannot be read is told of, and the others are saved", async () => {
  save("two");

  expect((await screen.findByRole("alert")).textContent).toBe(
    "1 record of 3 could not be read: the file has the others. There is no such record.",
  );
  expect(await idsOf(saved[0])).toEqual(["one", "three"]);
});

test("where none can be read, there is no file", async () => {
  save("one", "two", "three");

  expect((await screen.findByRole("alert")).textContent).toBe(
    "No record could be read, so no file was saved. There is no such record.",
  );
  expect(saved).toEqual([]);
});

test("of what could be read nothing is said", async () => {
  save();

  await waitFor(() => expect(saved).toHaveLength(1));
  expect(await idsOf(saved[0])).toEqual(["one", "two", "three"]);
  expect(screen.queryByRole("alert")).toBeNull();
});

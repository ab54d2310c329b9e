// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import type { ChatContext } from "@/api/chats/inspect";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { ToldFiles } from "./ToldFiles";

const context = (dirty_since: string | null): ChatContext => ({
  workspace: "/work",
  pinned_at: "2027-01-15T12:00:00Z",
  dirty_since,
  truncated: false,
  resources: [],
});
const CHANGED = /They have changed since the agent was told of them/;
const PATH = "/api/v1/chats/c/context";

/** A server whose files have changed, and are read again when that is `possible`. */
function open(possible: boolean): void {
  let now = context("2027-01-15T13:00:00Z");
  server(({ what }) => {
    if (what === `PUT ${PATH}` && !possible) return refusal(409, "The workspace is away.");
    if (what === `PUT ${PATH}`) now = context(null);
    return json(now);
  });
  show(<ToldFiles chatId="c" />);
}

// proves web-ui 53
test("files that have changed are marked until they are read again", async () => {
  open(true);
  await screen.findByText(CHANGED);

  fireEvent.click(screen.getByRole("button", { name: "Read again" }));

  await waitFor(() => expect(screen.queryByText(CHANGED)).toBeNull());
});

test("while they cannot be read, the mark stays and it is said why", async () => {
  open(false);
  await screen.findByText(CHANGED);

  fireEvent.click(screen.getByRole("button", { name: "Read again" }));

  expect((await screen.findByRole("alert")).textContent).toBe("The workspace is away.");
  expect(screen.queryByText(CHANGED)).not.toBeNull();
});

// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeAll, expect, test, vi } from "vitest";
import type { Filters } from "@/api/chats/chats";
import { queries } from "@/api/queries";
import { aChat } from "../../../tests/chats";
import { show } from "../../../tests/rendered";
import { type Asked, json, refusal, server } from "../../../tests/server";
import { filtersOf, NO_FILTERS } from "../filters";
import { ChatList } from "./ChatList";

const ROWS = {
  hrefOf: String,
  openId: null,
  openParentId: null,
  itemsFor: () => [],
  busyIds: new Set<string>(),
};

// What is further down than the screen is not seen.
beforeAll(
  () =>
    void vi.stubGlobal(
      "IntersectionObserver",
      class {
        observe() {}
        disconnect() {}
      },
    ),
);

const list = (search = "", onShow: (filters: Filters) => void = () => {}) =>
  show(<ChatList filters={filtersOf(search)} grouping="date" rows={ROWS} onShow={onShow} />);
const page = (title: string, next: string | null) => json({ chats: [{ ...aChat(title), queue: [] }], next });
const isFirst = ({ query }: Asked) => !query.has("cursor");

test("nothing yet, and nothing that fits, are told apart, and all can be shown again", async () => {
  const show = vi.fn();
  server(() => json({ chats: [], next: null }));
  const { unmount } = list();
  await screen.findByText("Your chats will be listed here.");
  expect(screen.queryByRole("button", { name: "Show all" })).toBeNull();
  unmount();
  list("?archived=true", show);
  await screen.findByText("No chat fits this filter.");
  fireEvent.click(screen.getByRole("button", { name: "Show all" }));
  expect(show).toHaveBeenCalledWith(NO_FILTERS);
});

test("who has no chats yet finds the way to those that are shared with them", async () => {
  const show = vi.fn();
  server(({ query }) =>
    query.get("source") === "shared" ? page("Of somebody else", null) : json({ chats: [], next: null }),
  );
  list("", show);
  fireEvent.click(await screen.findByRole("button", { name: "See what is shared with you" }));
  expect(show).toHaveBeenCalledWith({ ...NO_FILTERS, shared: true });
});

test("with whom nothing is shared is told so, and hears nothing of it elsewhere", async () => {
  server(() => json({ chats: [], next: null }));
  const { unmount } = list();
  await screen.findByText("Your chats will be listed here.");
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(screen.queryByRole("button")).toBeNull();
  unmount();
  list("?shared=true");
  await screen.findByText("Nothing is shared with you.");
  screen.getByRole("button", { name: "Show your own chats" });
});

test("more chats come on request, and say that they are on their way", async () => {
  let answer: () => void = () => undefined;
  server((asked) =>
    isFirst(asked)
      ? page("First", "next")
      : new Promise((resolve) => {
          answer = () => resolve(page("Second", null));
        }),
  );
  list();
  fireEvent.click(await screen.findByRole("button", { name: "More" }));
  await screen.findByRole("status", { name: "Loading more chats" });
  answer();
  await screen.findByRole("link", { name: /Second/ });
  expect(screen.queryByRole("button", { name: "More" })).toBeNull();
});

test("what was listed stays when more cannot be loaded, and can be asked for again", async () => {
  const asked = server((each) => (isFirst(each) ? page("First", "next") : refusal(500, "The disk is full.")));
  list();
  fireEvent.click(await screen.findByRole("button", { name: "More" }));
  await waitFor(() => expect(asked.length).toBe(2));
  fireEvent.click(await screen.findByRole("button", { name: "More" }));
  await waitFor(() => expect(asked.length).toBe(3));
  expect(screen.getByRole("link", { name: /First/ })).toBeTruthy();
});

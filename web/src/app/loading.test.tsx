// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { type ReactNode, Suspense } from "react";
import { describe, expect, test } from "vitest";
import { filtersOf } from "@/chats/filters";
import { ChatList } from "@/chats/list/ChatList";
import { ChangesTab } from "@/panel/changes/ChangesTab";
import { ContextTab } from "@/panel/context/ContextTab";
import { DebugTab } from "@/panel/debug/DebugTab";
import { ALL_PAGES } from "@/settings/pages";
import { show } from "../../tests/rendered";
import { refusal, server } from "../../tests/server";

/** What these show is kept by the browser, not asked for. */
const ASK_NOTHING = new Set(["appearance", "notices"]);

const ROWS = {
  hrefOf: String,
  openId: null,
  openParentId: null,
  itemsFor: () => [],
  busyIds: new Set<string>(),
};

/** Everything that is asked for when it is opened. */
const PLACES: Record<string, ReactNode> = {
  "the list of chats": <ChatList filters={filtersOf("")} grouping="date" rows={ROWS} onShow={() => {}} />,
  "the tab of changes": <ChangesTab chatId="a-chat" />,
  "the tab of the context": <ContextTab chatId="a-chat" />,
  "the tab of debug records": <DebugTab chatId="a-chat" />,
  ...Object.fromEntries(
    ALL_PAGES.filter(({ path }) => !ASK_NOTHING.has(path)).map(({ path, page: Page }) => [
      `the settings: ${path}`,
      <Suspense key={path}>
        <Page />
      </Suspense>,
    ]),
  ),
};

describe.each(Object.entries(PLACES))("%s", (_, place) => {
  test("says that it waits for a slow server", async () => {
    server(() => new Promise<Response>(() => undefined));
    show(place);
    expect((await screen.findAllByRole("status", { name: /^Loading/ })).length).toBeGreaterThan(0);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("says what failed, and asks again when told to", async () => {
    const asked = server(() => refusal(500, "The disk is full."));
    show(place);
    const [alert] = await screen.findAllByRole("alert");
    expect(alert?.textContent).toContain("The disk is full.");
    await waitFor(() => expect(screen.queryByRole("status", { name: /^Loading/ })).toBeNull());
    const before = asked.length;
    fireEvent.click(screen.getAllByRole("button", { name: "Try again" })[0] as HTMLElement);
    await waitFor(() => expect(asked.length).toBeGreaterThan(before));
  });
});

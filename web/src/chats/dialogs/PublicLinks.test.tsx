// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { aChat } from "../../../tests/chats";
import { show } from "../../../tests/rendered";
import { type Asked, json, server } from "../../../tests/server";
import { ShareDialog } from "./ShareDialog";

const LINK = {
  id: "link-1",
  made_by: "me",
  made_at: "2027-01-15T12:00:00Z",
  expires_at: "2027-01-22T12:00:00Z",
  live: false,
  include: ["tools"],
  opened: 3,
};

function open(permits: object, links: object[] = []): Asked[] {
  const asked = server(({ what }) => {
    if (what === "GET /api/v1/permits") return json(permits);
    if (what.endsWith("/grants")) return json({ grants: [] });
    if (what === "POST /api/v1/chats/Moons/links") return json({ ...LINK, code: "SECRET" }, 201);
    if (what.startsWith("DELETE")) return new Response(null, { status: 204 });
    return json({ links });
  });
  show(<ShareDialog chat={aChat("Moons")} onClose={() => undefined} onHandOver={() => undefined} />);
  return asked;
}

const MAY = { deeds: ["chat.share"], public_links: true };

test.each([
  [{ deeds: ["chat.share"], public_links: false }],
  [{ deeds: ["chat.unshare"], public_links: true }],
])("public links are not offered where they cannot be made: %o", async (permits) => {
  const asked = open(permits);
  await screen.findByText("Only you see this chat.");
  await waitFor(() => expect(asked.map(({ what }) => what)).toContain("GET /api/v1/permits"));

  expect(screen.queryByText("Public links")).toBeNull();
  expect(asked.map(({ what }) => what)).not.toContain("GET /api/v1/chats/Moons/links");
});

test("a link is made as chosen, told what it shows, and its code is there this once", async () => {
  const asked = open(MAY);
  fireEvent.click(await screen.findByRole("button", { name: "New public link" }));
  fireEvent.change(screen.getByLabelText("Ends after"), { target: { value: "30" } });
  fireEvent.click(screen.getByLabelText("Follow the chat"));
  fireEvent.click(screen.getByLabelText("Files"));
  expect(screen.getByText(/will be said here, files\./)).toBeTruthy();

  fireEvent.click(screen.getByRole("button", { name: "Make the link" }));

  await screen.findByText(/\/s#SECRET$/);
  const made = asked.find(({ what }) => what.startsWith("POST"));
  expect(made?.body).toEqual({ days: 30, live: true, include: ["files"] });
  fireEvent.click(screen.getByRole("button", { name: "I have copied it" }));
  await waitFor(() => expect(screen.queryByText(/SECRET/)).toBeNull());
});

test("links are listed with their end and how often they were opened, and can be ended", async () => {
  const asked = open(MAY, [LINK]);
  await screen.findByText(/tools\. Opened 3 times\./);

  fireEvent.click(screen.getByRole("button", { name: /^End now the link that ends/ }));

  await waitFor(() =>
    expect(asked.map(({ what }) => what)).toContain("DELETE /api/v1/chats/Moons/links/link-1"),
  );
});

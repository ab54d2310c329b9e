// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { aChat } from "../../../tests/chats";
import { show } from "../../../tests/rendered";
import { json, server } from "../../../tests/server";
import { ShareDialog } from "./ShareDialog";

function open(deeds: readonly string[], sharing = "everyone"): { handedOver: number } {
  const seen = { handedOver: 0 };
  server(({ what }) =>
    json(what === "GET /api/v1/permits" ? { deeds, public_links: false, sharing } : { grants: [] }),
  );
  show(
    <ShareDialog
      chat={aChat("Moons")}
      onClose={() => undefined}
      onHandOver={() => {
        seen.handedOver += 1;
      }}
    />,
  );
  return seen;
}

test("who may hand a chat over is led there from where it is shared", async () => {
  const seen = open(["chat.share", "chat.transfer"]);

  fireEvent.click(await screen.findByRole("button", { name: "Hand over…" }));

  expect(seen.handedOver).toBe(1);
});

test("who may not is not offered it", async () => {
  open(["chat.share"]);

  await waitFor(() => expect(screen.queryByRole("button", { name: "Hand over…" })).toBeNull());
  expect(screen.getByRole("heading", { name: "Share “Moons”" })).toBeTruthy();
});

test("everyone is offered where chats may be shared with everyone", async () => {
  open(["chat.share"]);

  expect(await screen.findByRole("button", { name: "Share with everyone on this server" })).toBeTruthy();
});

test("everyone is not offered where chats are shared by name", async () => {
  open(["chat.share"], "people");

  expect(await screen.findByText("Only you see this chat.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Share with everyone on this server" })).toBeNull();
});

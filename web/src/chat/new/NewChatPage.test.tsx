// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Tooltips } from "@/ui/overlay/Tooltip";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { NewChatPage } from "./NewChatPage";

const MODEL = { name: "p/a", enabled: true, available: true, is_default: true, reasoning_efforts: [] };
const DENIED = "Chats of your group may not use this model before Monday.";

test("what the server says against a chat is shown, and what was written stays", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  server(({ what }) => {
    if (what === "POST /api/v1/chats") return refusal(403, DENIED);
    return json(what.endsWith("/models") ? { models: [MODEL] } : { servers: [], skills: [] });
  });
  show(
    <Tooltips>
      <NewChatPage />
    </Tooltips>,
  );
  const field = await screen.findByRole("textbox", { name: "Message" });
  fireEvent.change(field, { target: { value: "Tidy up." } });

  fireEvent.click(screen.getByRole("button", { name: "Send" }));

  expect((await screen.findByRole("alert")).textContent).toBe(DENIED);
  expect(field).toHaveProperty("value", "Tidy up.");
});

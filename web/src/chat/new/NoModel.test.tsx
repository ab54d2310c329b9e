// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../../tests/rendered";
import { json, server } from "../../../tests/server";
import { NoModel } from "./NoModel";

function open(role: string): void {
  server(() => json({ id: "u", name: "ada", role }));
  show(<NoModel />);
}

// proves web-ui 20
test("without a model an administrator is shown where to add one", async () => {
  open("admin");

  expect((await screen.findByRole("link", { name: "Add a provider and its key" })).getAttribute("href")).toBe(
    "/settings/models",
  );
});

// proves web-ui 20
test("and anybody else is told whom to ask", async () => {
  open("member");

  expect(await screen.findByText("Ask an administrator of this server to add one.")).toBeTruthy();
  expect(screen.queryByRole("link")).toBeNull();
});

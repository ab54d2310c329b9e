// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../../tests/rendered";
import { type Asked, json, server } from "../../../tests/server";
import GroupsPage from "./GroupsPage";

const named = (name: string) => ({ id: name, name, source: "local", members: 2, created_at: "" });
const member = (name: string) => ({ id: name, name, display_name: "" });

/** Everything in two pages of one. */
function inPages({ what, query }: Asked): Response {
  const isFirst = !query.get("after");
  if (what === "GET /api/v1/groups")
    return json({ groups: [named(isFirst ? "Crew" : "Support")], next: isFirst ? "Crew" : null });
  if (what.endsWith("/members"))
    return json({ users: [member(isFirst ? "anna" : "berta")], next: isFirst ? "anna" : null });
  return json({ deeds: [] });
}

test("all groups are listed, however many pages they have", async () => {
  server(inPages);
  show(<GroupsPage />);

  expect(await screen.findByText("Support")).toBeTruthy();
  expect(screen.getByText("Crew")).toBeTruthy();
});

test("more members are shown on demand", async () => {
  server(inPages);
  show(<GroupsPage />);
  fireEvent.click(await screen.findByRole("button", { name: /^Members.*Crew$/ }));
  expect(await screen.findByText("anna")).toBeTruthy();
  expect(screen.queryByText("berta")).toBeNull();

  fireEvent.click(screen.getByRole("button", { name: "More" }));

  expect(await screen.findByText("berta")).toBeTruthy();
  expect(screen.getByText("anna")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("button", { name: "More" })).toBeNull());
});

// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Boundary } from "./Boundary";

// React tells of it there too.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Broken(): never {
  throw new Error("it cannot be drawn");
}

test("what cannot be drawn says so in its place, and the rest goes on", () => {
  render(
    <>
      <p>Beside it</p>
      <Boundary what="This tab">
        <Broken />
      </Boundary>
    </>,
  );
  expect(screen.getByText("Beside it")).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("This tab could not be shown.");
  expect(screen.getByRole("button", { name: "Load the page again" })).toBeTruthy();
});

test("something else can take its place", () => {
  render(
    <Boundary what="A formula" otherwise={<code>x^2</code>}>
      <Broken />
    </Boundary>,
  );
  expect(screen.getByText("x^2")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("at another place it is tried again", () => {
  const { rerender } = render(
    <Boundary what="This page" of="/a">
      <Broken />
    </Boundary>,
  );
  rerender(
    <Boundary what="This page" of="/b">
      <p>Another page</p>
    </Boundary>,
  );
  expect(screen.getByText("Another page")).toBeTruthy();
});

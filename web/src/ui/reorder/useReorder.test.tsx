// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeAll, expect, test } from "vitest";
import { useReorder } from "./useReorder";

const ROW_PX = 20;

/** jsdom lays nothing out: rows are as high as each other, in the order of the page. */
beforeAll(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
  HTMLElement.prototype.getBoundingClientRect = function () {
    const index = [...(this.parentElement?.children ?? [])].indexOf(this);
    return { top: index * ROW_PX, height: ROW_PX } as DOMRect;
  };
});

afterEach(cleanup);

function Letters({ told }: { told: string[] }) {
  const [ids, setIds] = useState<readonly string[]>(["a", "b", "c"]);
  const { order, itemOf, handleOf, said } = useReorder(ids, (next) => {
    told.push(next.join(""));
    setIds(next);
  });
  return (
    <>
      <ul>
        {order.map((id) => (
          <li key={id} {...itemOf(id)}>
            <button type="button" {...handleOf(id)}>
              Move {id}
            </button>
            <button type="button">Other {id}</button>
          </li>
        ))}
      </ul>
      <p role="status">{said}</p>
    </>
  );
}

function shown(): string {
  return screen
    .getAllByRole("button", { name: /^Move/ })
    .map((each) => each.textContent?.slice(-1))
    .join("");
}

const grip = (id: string) => screen.getByRole("button", { name: `Move ${id}` });

test("the arrow keys move an item by its grip, which keeps the focus", () => {
  const told: string[] = [];
  render(<Letters told={told} />);
  grip("a").focus();

  fireEvent.keyDown(grip("a"), { key: "ArrowDown" });
  fireEvent.keyDown(grip("a"), { key: "ArrowDown" });
  fireEvent.keyDown(grip("a"), { key: "ArrowDown" });

  expect(told).toEqual(["bac", "bca"]);
  expect(document.activeElement).toBe(grip("a"));
  expect(screen.getByRole("status").textContent).toBe("Moved to place 3 of 3");
});

test("with Alt and Shift they do so from anywhere in the item, and alone they do not", () => {
  const told: string[] = [];
  render(<Letters told={told} />);
  const other = screen.getByRole("button", { name: "Other c" });

  fireEvent.keyDown(other, { key: "ArrowUp" });
  fireEvent.keyDown(other, { key: "ArrowUp", altKey: true });
  expect(told).toEqual([]);

  fireEvent.keyDown(other, { key: "ArrowUp", altKey: true, shiftKey: true });
  expect(told).toEqual(["acb"]);
});

test("a dragged item is shown where it would be left, and told when it is let go", () => {
  const told: string[] = [];
  render(<Letters told={told} />);

  fireEvent.pointerDown(grip("c"), { pointerId: 1, button: 0, clientY: 50 });
  fireEvent.pointerMove(grip("c"), { pointerId: 1, clientY: 5 });
  expect([shown(), told]).toEqual(["cab", []]);

  fireEvent.pointerUp(grip("c"), { pointerId: 1, clientY: 5 });
  expect([shown(), told]).toEqual(["cab", ["cab"]]);
});

test("a drag that is given up leaves the list as it was", () => {
  const told: string[] = [];
  render(<Letters told={told} />);

  fireEvent.pointerDown(grip("c"), { pointerId: 1, button: 0, clientY: 50 });
  fireEvent.pointerMove(grip("c"), { pointerId: 1, clientY: 5 });
  fireEvent.keyDown(grip("c"), { key: "Escape" });
  fireEvent.pointerUp(grip("c"), { pointerId: 1, clientY: 5 });

  expect([shown(), told]).toEqual(["abc", []]);
});

test("a press without a move is a click", () => {
  const told: string[] = [];
  render(<Letters told={told} />);

  fireEvent.pointerDown(grip("c"), { pointerId: 1, button: 0, clientY: 50 });
  fireEvent.pointerMove(grip("c"), { pointerId: 1, clientY: 52 });
  fireEvent.pointerUp(grip("c"), { pointerId: 1, clientY: 52 });

  expect(told).toEqual([]);
});

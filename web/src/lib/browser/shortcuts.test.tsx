// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { keysOf, SHORTCUTS, useShortcut } from "./shortcuts";

afterEach(cleanup);

function Listening({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  useShortcut("palette", onSearch);
  useShortcut("help", onHelp);
  return (
    <>
      <div role="log">Said.</div>
      <textarea aria-label="Message" />
      <div role="dialog" aria-label="Rename">
        <input aria-label="Title" />
      </div>
    </>
  );
}

function pressed(where: HTMLElement, keys: { key: string; ctrlKey?: boolean; shiftKey?: boolean }) {
  const [onSearch, onHelp] = [vi.fn(), vi.fn()];
  render(<Listening onSearch={onSearch} onHelp={onHelp} />);
  fireEvent.keyDown(screen.getByRole(where.role ?? "", { name: where.ariaLabel ?? undefined }), keys);
  cleanup();
  return [onSearch.mock.calls.length, onHelp.mock.calls.length];
}

const at = (role: string, ariaLabel?: string) => ({ role, ariaLabel }) as HTMLElement;
const CTRL_K = { key: "k", ctrlKey: true };
const HELP = { key: "?", shiftKey: true };

// proves web-ui 11
test("keys count in the transcript and while writing, and a dialog keeps its own", () => {
  expect(pressed(at("log"), CTRL_K)).toEqual([1, 0]);
  expect(pressed(at("textbox", "Message"), CTRL_K)).toEqual([1, 0]);
  expect(pressed(at("textbox", "Title"), CTRL_K)).toEqual([0, 0]);
});

test("a key alone is for text while somebody writes", () => {
  expect(pressed(at("log"), HELP)).toEqual([0, 1]);
  expect(pressed(at("textbox", "Message"), HELP)).toEqual([0, 0]);
});

test("no two shortcuts have the same keys", () => {
  const keys = (Object.keys(SHORTCUTS) as (keyof typeof SHORTCUTS)[]).map(keysOf);
  expect(new Set(keys).size).toBe(keys.length);
});

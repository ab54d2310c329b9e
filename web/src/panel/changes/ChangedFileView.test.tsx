// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { addReference, clearDraft, draftOf, REFERENCES_MAX } from "@/lib/kept/draft";
import { parseDiff } from "@/ui/diff/parse";
import { Tooltips } from "@/ui/overlay/Tooltip";
import { show } from "../../../tests/rendered";
import { json, server } from "../../../tests/server";
import { ChangedFileView } from "./ChangedFileView";
import type { Layout } from "./LayoutSwitch";

const DIFF = `diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`;

beforeEach(() => clearDraft("c"));

function open(layout: Layout, access = "owner"): void {
  server(() => json({ id: "c", access }));
  show(
    <Tooltips>
      <ChangedFileView
        chatId="c"
        file={{ path: "calc.py", deed: "changed" }}
        diff={parseDiff(DIFF)[0] ?? null}
        span={null}
        layout={layout}
        turn={{ messageId: 1, words: "Go." }}
        isOpenAtFirst
      />
    </Tooltips>,
  );
}

const line = (number: number) => screen.getAllByRole("button", { name: `Comment on line ${number}` });

function comment(about: string, words: string): void {
  fireEvent.change(screen.getByRole("textbox", { name: about }), { target: { value: words } });
  fireEvent.click(screen.getByRole("button", { name: "Add to message" }));
}

const references = () => draftOf("c").references.map(({ key: _, ...others }) => others);

// proves web-ui 54
test("lines from one side to the other are commented on, with their range", () => {
  open("split");

  fireEvent.click(line(2)[0] as HTMLElement);
  fireEvent.click(line(3).at(-1) as HTMLElement, { shiftKey: true });
  comment("Comment on lines 2 to 3", "Why a digit?");

  expect(references()).toEqual([
    { file: "calc.py", first: 2, last: 3, lines: "-two\n+2\n three", comment: "Why a digit?" },
  ]);
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("by keyboard the whole place is commented on", () => {
  open("unified");

  fireEvent.click(screen.getByRole("button", { name: "Comment on lines 1 to 3" }));
  comment("Comment on lines 1 to 3", "Better.");

  expect(references()).toMatchObject([{ first: 1, last: 3, lines: " one\n-two\n+2\n three" }]);
});

test("a line that is gone has the number that it had", () => {
  open("unified");

  fireEvent.click(line(2)[0] as HTMLElement);
  comment("Comment on line 2", "It was right.");

  expect(references()).toMatchObject([{ first: 2, last: 2, lines: "-two" }]);
});

test("in a chat of another user there is nothing to comment with and nothing to restore", async () => {
  open("unified", "reader");

  await waitFor(() => expect(screen.queryByRole("button", { name: /^Comment|^Restore/ })).toBeNull());
  expect(screen.getAllByRole("cell").map((each) => each.textContent)).toContain("2");
});

test("nothing is added beyond what one message may have", () => {
  const lines = { file: "a", first: 1, last: 1, lines: "", comment: "" };
  for (let count = 0; count < REFERENCES_MAX; count += 1) expect(addReference("c", lines)).toBe(true);

  expect(addReference("c", lines)).toBe(false);
  expect(references()).toHaveLength(REFERENCES_MAX);
});

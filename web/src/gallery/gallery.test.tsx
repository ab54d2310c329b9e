// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { CARDS } from "@/tools/index";

import { Gallery } from "./Gallery";
import { CHAPTERS } from "./stories";
import type { Chapter, Story } from "./story";

afterEach(cleanup);

const ALL = CHAPTERS.flatMap((chapter) => chapter.stories.map((story) => ({ chapter: chapter.name, story })));
const only = (story: Story): Chapter[] => [{ name: "only", stories: [story] }];

function storyOf(chapter: string, name: string): Story {
  const found = ALL.find((each) => each.chapter.includes(chapter) && each.story.name === name);
  if (!found) throw new Error(`there is no story ${chapter}: ${name}`);
  return found.story;
}

describe("every state can be seen", () => {
  it.each(ALL)("$chapter: $story.name", ({ story }) => {
    const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
    const { container } = render(<Gallery chapters={only(story)} />);
    for (const fold of container.querySelectorAll<HTMLElement>("button[aria-expanded=false]"))
      fireEvent.click(fold);
    expect(complaints.mock.calls).toEqual([]);
    expect(container.querySelector("script, iframe, [onerror], a[href^='javascript']")).toBeNull();
    expect(container.querySelectorAll("*").length).toBeLessThan(5_000);
    complaints.mockRestore();
  });

  it("and every card has a story", () => {
    const shown = new Set(
      ALL.flatMap(({ story }) => story.blocks.map((block) => (block.type === "call" ? block.call.name : ""))),
    );
    // Another name of interrupt_agent.
    expect(Object.keys(CARDS).filter((tool) => !shown.has(tool))).toEqual(["close_agent"]);
  });
});

describe("a person answers by keyboard", () => {
  const actions = { decide: vi.fn(async () => {}), answer: vi.fn(async () => {}) };
  const ask = (chapter: string, name: string) => {
    vi.clearAllMocks();
    render(<Gallery chapters={only(storyOf(chapter, name))} actions={actions} />);
  };
  const press = (key: string) => fireEvent.keyDown(document.body, { key });

  it("an approval: once, in this chat, always", () => {
    for (const [key, scope] of [
      ["y", "once"],
      ["c", "chat"],
      ["a", "always"],
    ] as const) {
      ask("approval", "of a command");
      press(key);
      expect(actions.decide.mock.calls).toEqual([[expect.anything(), { decision: "allow", scope }]]);
      cleanup();
    }
  });

  it("an approval: not, and why", () => {
    ask("approval", "of a command");
    press("n");
    const reason = screen.getByRole("textbox", { name: "Why not" });
    fireEvent.change(reason, { target: { value: "Use make." } });
    // A key in a field is a letter.
    fireEvent.keyDown(reason, { key: "y" });
    fireEvent.submit(reason);
    expect(actions.decide.mock.calls).toEqual([
      [expect.anything(), { decision: "deny", scope: "once", reason: "Use make." }],
    ]);
  });

  it("an approval only as far as the server lets it reach", () => {
    ask("approval", "of an unsure command");
    expect(screen.queryByRole("button", { name: /Always allow/ })).toBeNull();
    press("a");
    expect(actions.decide).not.toHaveBeenCalled();
  });

  // proves web-ui 32
  it("questions, one with an option and one in own words, in one answer", () => {
    ask("ask_user_question", "several questions");
    press("2");
    press("Enter");
    const words = screen.getByRole("textbox", { name: "In your own words" });
    fireEvent.change(words, { target: { value: " Call it talker. " } });
    fireEvent.keyDown(words, { key: "Enter" });
    expect(actions.answer.mock.calls).toEqual([[expect.anything(), ["SQLite", "Call it talker."]]]);
  });

  it("a plan: carry it out, or change it", () => {
    ask("propose_plan", "first version");
    press("y");
    expect(actions.answer.mock.calls).toEqual([[expect.anything(), { decision: "accept" }]]);
    cleanup();
    ask("propose_plan", "a later version");
    press("c");
    const field = screen.getByRole("textbox", { name: "What should be different" });
    fireEvent.change(field, { target: { value: "Keep the flags." } });
    fireEvent.submit(field);
    expect(actions.answer.mock.calls).toEqual([
      [expect.anything(), { decision: "revise", feedback: "Keep the flags." }],
    ]);
  });

  it("nothing in a chat that can only be read", () => {
    ask("approval", "in a chat that can only be read");
    press("y");
    expect(actions.decide).not.toHaveBeenCalled();
    expect(screen.queryByRole("button", { name: /Allow/ })).toBeNull();
  });
});

describe("cards tell what happened", () => {
  const show = (chapter: string, name: string) => {
    const { container } = render(<Gallery chapters={only(storyOf(chapter, name))} />);
    return within(container);
  };

  // proves web-ui 26
  it("reads in a row are one card that says what failed", () => {
    const shown = show("read_file", "several in a row");
    expect(shown.getByRole("button", { name: /Read 3 files\s*1 failed/ })).toBeTruthy();
  });

  // proves web-ui 27
  it("a process that was killed later", () => {
    expect(show("execute", "killed later").getByText("killed")).toBeTruthy();
  });

  // proves web-ui 28
  it("a call that policy has changed", () => {
    expect(show("edit_files", "rewritten by a rule").getByText("changed by policy")).toBeTruthy();
  });

  // proves advisor 39
  it("what the advisor came back with, each in its own words", () => {
    const told = (name: string) => {
      const shown = show("advisor", name);
      // Folds are remembered, also from one test to the next.
      for (const folded of shown.queryAllByRole("button", { expanded: false })) fireEvent.click(folded);
      return shown.getByRole("group", { name: "advisor" }).parentElement?.textContent;
    };
    expect(told("answered")).toMatch(/Asked the advisor.*acme\/wise.*Which of two designs\?.*one writer/s);
    expect(told("nothing to say")).toContain("The advisor had nothing to say.");
    expect(told("no uses left")).toContain("no uses left");
    expect(told("failed")).toMatch(/Could not ask the advisor.*acme\/wise did not answer\./);
  });

  // proves advisor 40
  it("an advisor that is being asked, with the question", () => {
    const shown = show("advisor", "asking");
    expect(shown.getByRole("button", { expanded: true })).toBeTruthy();
    expect(shown.getByText("Which of two designs?")).toBeTruthy();
  });

  // proves web-ui 34
  it("a wait that was too short, with the name of the agent", () => {
    const shown = show("wait_agent", "time over");
    expect(shown.getByText("still working")).toBeTruthy();
    expect(shown.getAllByText("Look at settings")).not.toEqual([]);
  });

  // proves web-ui 33
  it("answers that were given, and no way to give them again", () => {
    const shown = show("ask_user_question", "answered");
    expect(shown.getByText("Call it talker.")).toBeTruthy();
    expect(shown.queryByRole("radio")).toBeNull();
  });
});

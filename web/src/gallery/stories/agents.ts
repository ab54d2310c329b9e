import { type Chapter, call, story } from "../story";

const agent = (chat_id: string, title: string, status: string) => ({
  chat_id,
  title,
  status,
  type: "general",
});
const PROMPT = "Find out **where** settings are read, and report files with line numbers.";
const REPORT =
  "They are read in three places:\n\n- `src/settings.py:12`\n- `src/app.py:40`\n- `tests/conftest.py:8`";

export const AGENTS: Chapter[] = [
  {
    name: "spawn_agent",
    stories: [
      story("starting", call("spawn_agent", { type: "general", title: "Look at settings", prompt: PROMPT })),
      story(
        "started, at work",
        call(
          "spawn_agent",
          { type: "general", prompt: PROMPT },
          { result: agent("working", "Look at settings", "running") },
        ),
      ),
      story(
        "started, done meanwhile",
        call(
          "spawn_agent",
          { type: "explore", prompt: PROMPT, model: "acme/small", reasoning_effort: "low" },
          { result: agent("done", "Look at settings", "running") },
        ),
      ),
      story(
        "with a worktree",
        call(
          "spawn_agent",
          { type: "general", prompt: PROMPT, worktree: true },
          { result: { ...agent("other", "Rewrite the parser", "running"), worktree: ".chatd/w" } },
        ),
      ),
      story(
        "unknown model",
        call(
          "spawn_agent",
          { type: "general", prompt: PROMPT, model: "acme/none" },
          {
            error:
              "There is no model acme/none. list_subagent_models tells which there are. No agent was started.",
          },
        ),
      ),
    ],
  },
  {
    name: "wait_agent",
    stories: [
      story("waiting", call("wait_agent", { chat_id: "working" })),
      story(
        "one needs a person",
        call(
          "wait_agent",
          { chat_ids: ["working", "asks"] },
          { output: "Look at tests (asks) waits for an approval.\n" },
        ),
      ),
      story(
        "done",
        call(
          "wait_agent",
          { chat_id: "done" },
          { durationMs: 64_000, result: { ...agent("done", "Look at settings", "waiting"), report: REPORT } },
        ),
      ),
      story(
        "several",
        call(
          "wait_agent",
          { chat_ids: ["done", "broken"] },
          {
            result: {
              agents: [
                { ...agent("done", "Look at settings", "waiting"), report: REPORT },
                {
                  ...agent("broken", "Look at tests", "error"),
                  report: "",
                  last_error: "The provider is overloaded.",
                },
              ],
              timed_out: false,
            },
          },
        ),
      ),
      story(
        "time over",
        call(
          "wait_agent",
          { chat_id: "working" },
          { result: { ...agent("working", "Look at settings", "running"), timed_out: true } },
        ),
      ),
      story(
        "failed",
        call("wait_agent", {}, { error: "This chat has no agents. Start some with spawn_agent." }),
      ),
    ],
  },
  {
    name: "message_agent, interrupt_agent, list_agents, merge_agent, list_subagent_models",
    stories: [
      story("writing", call("message_agent", { chat_id: "working", message: "Look at tests too." })),
      story(
        "wrote",
        call(
          "message_agent",
          { chat_id: "working", message: "Look at tests too.", interrupt: true },
          { result: agent("working", "Look at settings", "running") },
        ),
      ),
      story(
        "not written",
        call("message_agent", { chat_id: "none", message: "x" }, { error: "This chat has no agent none." }),
      ),
      story(
        "stopped",
        call(
          "interrupt_agent",
          { chat_id: "working" },
          { result: { ...agent("working", "Look at settings", "interrupting"), interrupted: true } },
        ),
      ),
      story(
        "was idle",
        call(
          "interrupt_agent",
          { chat_id: "done" },
          { result: { ...agent("done", "Look at settings", "waiting"), interrupted: false } },
        ),
      ),
      story(
        "list",
        call(
          "list_agents",
          {},
          {
            result: {
              agents: [
                agent("working", "Look at settings", "running"),
                agent("asks", "Look at tests", "requires_action"),
                agent("done", "Draft", "waiting"),
              ],
              total: 3,
            },
          },
        ),
      ),
      story("empty list", call("list_agents", {}, { result: { agents: [], total: 0 } })),
      story(
        "merged",
        call(
          "merge_agent",
          { chat_id: "other" },
          {
            result: {
              ...agent("other", "Rewrite the parser", "waiting"),
              changed_files: ["src/parser.py", "tests/test_parser.py"],
            },
          },
        ),
      ),
      story(
        "models",
        call(
          "list_subagent_models",
          {},
          { result: { models: [{ model: "acme/small" }, { model: "acme/large" }] } },
        ),
      ),
    ],
  },
];

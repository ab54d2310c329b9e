import { type Chapter, call, saying, story } from "../story";

const LONG =
  'set -e\nfor f in src/*.py; do\n  python -m py_compile "$f"\n  ruff check "$f"\ndone\nnpm ci && npm test -- --reporter=dot | tee out.log';
const SCOPES = [
  { scope: "once" as const, rules: [] },
  { scope: "chat" as const, rules: ["allow calls of `execute` for the program `npm ci`"] },
  { scope: "always" as const, rules: ["allow calls of `execute` for the program `npm ci`"] },
];
const NOTHING = {
  programs: [],
  unsure: null,
  danger: null,
  reads: [],
  writes: [],
  hosts: [],
  preview: null,
  scopes: SCOPES,
};
const DIFF = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-DEBUG=0\n+DEBUG=1\n";

export const PROCESSES: Chapter[] = [
  {
    name: "execute",
    stories: [
      story("being said", saying("execute", '{"command": "npm t', { command: "npm t" })),
      story("running, silent", call("execute", { command: "npm test" })),
      story(
        "running, with output",
        call(
          "execute",
          { command: "npm test" },
          { output: "> test\n> vitest run\n\n ✓ a.test.ts (12)\n ✓ b.test.ts (3)\n" },
        ),
      ),
      story(
        "done",
        call(
          "execute",
          { command: "git status --short" },
          {
            durationMs: 2300,
            result: { success: true, output: " M src/a.py\n", exit_code: 0, wall_duration_ms: 40 },
          },
        ),
      ),
      story(
        "done, without output",
        call("execute", { command: "true" }, { result: { success: true, output: "", exit_code: 0 } }),
      ),
      story(
        "failed",
        call(
          "execute",
          { command: "npm test" },
          {
            durationMs: 14_200,
            result: { success: false, output: "FAIL src/a.test.ts\n1 failed", exit_code: 1 },
          },
        ),
      ),
      story(
        "could not start",
        call("execute", { command: "x" }, { error: "The workspace cannot be reached." }),
      ),
      story(
        "output and error",
        call(
          "execute",
          { command: "sleep 60" },
          {
            result: {
              success: false,
              output: "waiting\n",
              exit_code: -1,
              error: "The command has not ended within 10s, and runs on.",
              background_process_id: "p1",
            },
          },
        ),
      ),
      story(
        "in the background",
        call(
          "execute",
          { command: "npm run dev", run_in_background: true },
          {
            result: {
              success: true,
              output: "",
              exit_code: 0,
              background_process_id: "p2",
              backgrounded: true,
            },
          },
        ),
      ),
      story(
        "killed later",
        call(
          "execute",
          { command: "npm run dev", run_in_background: true },
          {
            result: {
              success: true,
              output: "",
              exit_code: 0,
              background_process_id: "killed",
              backgrounded: true,
            },
          },
        ),
      ),
      story(
        "asked to end later",
        call(
          "execute",
          { command: "npm run dev", run_in_background: true },
          {
            result: {
              success: true,
              output: "",
              exit_code: 0,
              background_process_id: "terminated",
              backgrounded: true,
            },
          },
        ),
      ),
      story(
        "a long command",
        call(
          "execute",
          { command: LONG },
          {
            part: {
              parsed_commands: [
                ["python", "-m", "py_compile"],
                ["ruff", "check"],
                ["npm", "ci"],
                ["npm", "test"],
              ],
            },
            result: { success: true, output: "ok", exit_code: 0 },
          },
        ),
      ),
      story(
        "with an intent",
        call(
          "execute",
          { command: LONG, model_intent: "checking every file" },
          { result: { success: true, output: "ok", exit_code: 0 } },
        ),
      ),
      story(
        "long unbroken lines, cut",
        call(
          "execute",
          { command: "cat data" },
          {
            result: {
              success: true,
              output: `${"0123456789".repeat(2_000)}\n`.repeat(3),
              exit_code: 0,
              truncated: {
                original_bytes: 900_000,
                retained_bytes: 60_000,
                omitted_bytes: 840_000,
                strategy: "head_tail",
              },
            },
          },
        ),
      ),
      story("stopped", call("execute", { command: "npm test" }, { progress: "interrupted" })),
      story(
        "hostile",
        call(
          "execute",
          { command: "echo '<script>alert(1)</script>\u202e'" },
          {
            result: {
              success: true,
              output: "<script>alert(1)</script>\u202e\n<img src=x onerror=alert(1)>",
              exit_code: 0,
            },
          },
        ),
      ),
    ],
  },
  {
    name: "approval",
    stories: [
      story(
        "of a command",
        call(
          "execute",
          { command: "npm ci && npm test" },
          {
            waiting: {
              approval: {
                ...NOTHING,
                programs: [
                  ["npm", "ci"],
                  ["npm", "test"],
                ],
              },
            },
          },
        ),
      ),
      story(
        "of an unsure command",
        call(
          "execute",
          { command: 'sh -c "$X"' },
          {
            waiting: {
              approval: {
                ...NOTHING,
                programs: [["sh", "-c"]],
                unsure: "`$X` is known only when it runs.",
                scopes: SCOPES.slice(0, 1),
              },
            },
          },
        ),
      ),
      story(
        "of an edit with effects",
        call(
          "edit_files",
          { files: [{ path: ".env", edits: [] }] },
          {
            waiting: {
              approval: {
                ...NOTHING,
                writes: [".env"],
                preview: DIFF,
                danger: "Programs that are started here read .env.",
              },
            },
          },
        ),
      ),
      story(
        "of a page",
        call(
          "fetch_url",
          { url: "https://docs.python.org/3/" },
          { waiting: { approval: { ...NOTHING, hosts: ["docs.python.org"] } } },
        ),
      ),
      story(
        "of a tool that we do not know",
        call(
          "github__create_issue",
          { title: "A bug", body: "It is there." },
          { waiting: { approval: NOTHING } },
        ),
      ),
      {
        ...story(
          "in a chat that can only be read",
          call(
            "execute",
            { command: "npm ci" },
            { waiting: { approval: { ...NOTHING, programs: [["npm", "ci"]] } } },
          ),
        ),
        readOnly: true,
      },
      story("denied by policy", call("execute", { command: "sudo rm" }, { progress: "denied" })),
    ],
  },
  {
    name: "process_output, process_signal, process_input, process_list",
    stories: [
      story(
        "waiting",
        call(
          "process_output",
          { process_id: "p1", model_intent: "waiting for the build" },
          { output: "compiling…\n" },
        ),
      ),
      story(
        "finished",
        call(
          "process_output",
          { process_id: "p1" },
          { result: { success: true, output: "built", exit_code: 0, command: "make build", running: false } },
        ),
      ),
      story(
        "still running",
        call(
          "process_output",
          { process_id: "p1" },
          {
            result: {
              success: true,
              output: "compiling",
              exit_code: -1,
              command: "make build",
              running: true,
              note: "It is still running.",
            },
          },
        ),
      ),
      story(
        "killed",
        call(
          "process_output",
          { process_id: "killed" },
          { result: { success: true, output: "", exit_code: -1, command: "npm run dev", running: true } },
        ),
      ),
      story(
        "asked to end",
        call(
          "process_output",
          { process_id: "terminated" },
          { result: { success: true, output: "", exit_code: -1, command: "npm run dev", running: true } },
        ),
      ),
      story(
        "finished, without its command",
        call(
          "process_output",
          { process_id: "p1" },
          { result: { success: true, output: "built", exit_code: 0, running: false } },
        ),
      ),
      story(
        "failed",
        call("process_output", { process_id: "p1" }, { error: "The workspace does not answer." }),
      ),
      story(
        "not there",
        call(
          "process_output",
          { process_id: "p9" },
          { result: { success: false, error: "There is no process p9." } },
        ),
      ),
      story("killing", call("process_signal", { process_id: "p1", signal: "kill" })),
      story(
        "killed it",
        call(
          "process_signal",
          { process_id: "p1", signal: "kill" },
          { result: { success: true, message: "The process was killed." } },
        ),
      ),
      story(
        "asked to end",
        call(
          "process_signal",
          { process_id: "p1", signal: "terminate" },
          { result: { success: true, message: "The process was asked to end." } },
        ),
      ),
      story(
        "could not end",
        call(
          "process_signal",
          { process_id: "p1", signal: "terminate" },
          { result: { success: false, message: "The process has ended already." } },
        ),
      ),
      story(
        "unknown signal",
        call(
          "process_signal",
          { process_id: "p1", signal: "hup" },
          { error: "signal is none of kill, terminate." },
        ),
      ),
      story("no arguments", call("process_signal", {}, { error: "process_id is missing." })),
      story(
        "typed",
        call(
          "process_input",
          { process_id: "p1", input: "yes\n" },
          { result: { success: true, message: "The process was given 4 bytes." } },
        ),
      ),
      story(
        "list",
        call(
          "process_list",
          {},
          {
            result: {
              processes: [
                { id: "p1", command: "npm run dev", running: true },
                { id: "p2", command: "make", running: false, exit_code: 2 },
              ],
            },
          },
        ),
      ),
      story("list failed", call("process_list", {}, { error: "The workspace does not answer." })),
      story("empty list", call("process_list", {}, { result: { processes: [] } })),
    ],
  },
];

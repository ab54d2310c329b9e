import { type Chapter, call, story } from "../story";

const ADVICE = "Take the **second** design:\n\n1. It has one writer.\n2. It can be undone.\n";

export const OTHERS: Chapter[] = [
  {
    name: "advisor",
    stories: [
      story(
        "asking",
        call("advisor", { question: "Which of two designs?", model_intent: "weighing two designs" }),
      ),
      story(
        "answering",
        call("advisor", { question: "Which of two designs?" }, { output: "Take the **sec" }),
      ),
      story(
        "answered",
        call(
          "advisor",
          { question: "Which of two designs?" },
          {
            durationMs: 9_000,
            result: { type: "advice", advice: ADVICE, advisor_model: "acme/wise", remaining_uses: 2 },
          },
        ),
      ),
      story(
        "nothing to say",
        call(
          "advisor",
          { question: "Which of two designs?" },
          { result: { type: "advice", advice: "", advisor_model: "acme/wise", remaining_uses: 2 } },
        ),
      ),
      story(
        "no uses left",
        call(
          "advisor",
          { question: "And now?" },
          {
            result: {
              type: "limit_reached",
              advice: "The advisor was asked as often as it may be in this turn.",
              remaining_uses: 0,
            },
          },
        ),
      ),
      story(
        "failed",
        call(
          "advisor",
          { question: "And now?" },
          { result: { type: "error", error: "The model acme/wise did not answer.", remaining_uses: 2 } },
        ),
      ),
    ],
  },
  {
    name: "chat_summarized",
    stories: [
      story(
        "being written",
        call("chat_summarized", {}, { output: "The user wants a greeting program. So far" }),
      ),
      story(
        "automatic",
        call(
          "chat_summarized",
          { source: "automatic" },
          {
            result: {
              summary: "The user wants a **greeting** program.\n\n- `greet.py` is done.",
              source: "automatic",
              context_tokens: 182_400,
              context_limit_tokens: 200_000,
              usage_percent: 91,
            },
          },
        ),
      ),
      story(
        "as asked",
        call(
          "chat_summarized",
          { source: "manual" },
          {
            result: {
              summary: "Little was said.",
              source: "manual",
              context_tokens: 900,
              context_limit_tokens: 200_000,
              usage_percent: 0,
            },
          },
        ),
      ),
      story(
        "without a model",
        call(
          "chat_summarized",
          {},
          {
            result: {
              summary: "The newest words are kept.",
              source: "automatic",
              without_model: "The summarizer did not answer.",
            },
          },
        ),
      ),
      story(
        "failed",
        call("chat_summarized", { source: "manual" }, { error: "The summarizer did not answer." }),
      ),
    ],
  },
  {
    name: "fetch_url, web_search",
    stories: [
      story("reading", call("fetch_url", { url: "https://docs.python.org/3/library/asyncio.html" })),
      story(
        "read",
        call(
          "fetch_url",
          { url: "https://docs.python.org/3/library/asyncio.html" },
          {
            durationMs: 1_400,
            result: {
              url: "https://docs.python.org/3/library/asyncio.html",
              title: "asyncio",
              content_type: "text/html",
              content: "# asyncio\n\nA library to write *concurrent* code.",
              note: "These are characters 0 to 90 of 4000. Go on with offset 91.",
            },
          },
        ),
      ),
      story(
        "not read",
        call(
          "fetch_url",
          { url: "https://10.0.0.1/" },
          { error: "https://10.0.0.1/ was not fetched. It is no public address." },
        ),
      ),
      story("searching", call("web_search", { query: "python 3.14 release date" })),
      story(
        "found",
        call(
          "web_search",
          { query: "python 3.14 release date" },
          {
            result: [
              { url: "https://peps.python.org/pep-0745/", title: "PEP 745" },
              { url: "javascript:alert(1)", title: "A bad one" },
            ],
          },
        ),
      ),
      story("nothing found", call("web_search", { query: "qqqzzz" }, { result: [] })),
      story("search failed", call("web_search", { query: "qqqzzz" }, { error: "The search is away." })),
    ],
  },
  {
    name: "read_skill, read_skill_file, find_tools",
    stories: [
      story("reading", call("read_skill", { name: "deploy" })),
      story(
        "read",
        call(
          "read_skill",
          { name: "deploy" },
          {
            result: {
              name: "deploy",
              dir: ".agents/skills/deploy",
              body: "# Deploy\n\nRun `make deploy`.",
              files: ["steps.md"],
            },
          },
        ),
      ),
      story("not there", call("read_skill", { name: "deploi" }, { error: "There is no skill deploi." })),
      story(
        "a file of it",
        call(
          "read_skill_file",
          { name: "deploy", path: "steps.md" },
          { result: { content: "1. Build.\n2. Push." } },
        ),
      ),
      story(
        "tools found",
        call(
          "find_tools",
          { queries: ["create an issue"] },
          {
            result: {
              matches: [{ name: "github__create_issue", description: "Creates an issue." }],
              activated: ["github__create_issue"],
              total_deferred: 80,
            },
          },
        ),
      ),
      story(
        "no tool found",
        call(
          "find_tools",
          { queries: ["fly"] },
          { result: { matches: [], activated: [], total_deferred: 80 } },
        ),
      ),
      story(
        "search failed",
        call("find_tools", {}, { error: "Give at least one of `queries` and `names`." }),
      ),
      story("malformed", call("find_tools", { queries: 7 }, { result: "?" })),
    ],
  },
  {
    name: "tools of MCP servers, of programs, and unknown ones",
    stories: [
      story(
        "MCP, running",
        call("github__create_issue", { title: "A bug", model_intent: "reporting the bug" }),
      ),
      story(
        "MCP, done",
        call(
          "github__create_issue",
          { title: "A bug" },
          { durationMs: 2_100, result: { content: [{ type: "text", text: "Created #12." }] } },
        ),
      ),
      story("MCP, no result", call("github__star", {}, { result: {} })),
      story("MCP, failed", call("github__create_issue", {}, { error: "title is required." })),
      story(
        "of a program, waits",
        call("show_map", { place: "Berlin" }, { waiting: { kind: "result" }, part: { kind: "client" } }),
      ),
      story(
        "unknown, done",
        call("constructor", { a: [1, 2, { b: null }] }, { result: { ok: true, rows: 3 } }),
      ),
      story(
        "unknown, huge",
        call(
          "dump",
          { n: 1 },
          {
            result: { rows: Array.from({ length: 3_000 }, (_, index) => ({ index, name: `row ${index}` })) },
          },
        ),
      ),
    ],
  },
];

import { type Chapter, call, saying, story } from "../story";

const PLAN =
  "# Move the settings to a file\n\n1. Read `settings.toml` at the start.\n2. Keep the flags: they win.\n3. Tests for both.\n\n```toml\nport = 8080\n```";
const DIFF =
  "--- a/plan.md\n+++ b/plan.md\n@@ -1,4 +1,5 @@\n # Move the settings to a file\n \n 1. Read `settings.toml` at the start.\n-2. Tests.\n+2. Keep the flags: they win.\n+3. Tests for both.\n";
const DATABASE = {
  header: "Database",
  question: "Which database should it use?",
  options: [
    { label: "PostgreSQL", description: "For several servers." },
    { label: "SQLite", description: "One file, no set-up." },
  ],
};
const NAME = {
  header: "Name",
  question: "What is it called?",
  options: [
    { label: "chatd", description: "As the package." },
    { label: "server", description: "As what it is." },
  ],
};
const asked = (...questions: (typeof DATABASE)[]) =>
  call("ask_user_question", { questions }, { waiting: { kind: "answer", questions } });

export const ASKING: Chapter[] = [
  {
    name: "ask_user_question",
    stories: [
      story("being said", saying("ask_user_question", '{"questions": [')),
      story("one question", asked(DATABASE)),
      story("several questions", asked(DATABASE, NAME)),
      { ...story("in a chat that can only be read", asked(DATABASE)), readOnly: true },
      story(
        "answered",
        call(
          "ask_user_question",
          { questions: [DATABASE, NAME] },
          {
            result: {
              answers: [
                { question: DATABASE.question, answer: "SQLite" },
                { question: NAME.question, answer: "Call it talker.", in_own_words: true },
              ],
            },
          },
        ),
      ),
      story(
        "left to the agent",
        call(
          "ask_user_question",
          { questions: [DATABASE] },
          { result: { answers: null, note: "The user left it to you." } },
        ),
      ),
      story(
        "failed",
        call("ask_user_question", { questions: [DATABASE] }, { error: "Nobody can be asked." }),
      ),
      story("malformed", call("ask_user_question", { questions: "?" }, { error: "questions is no list." })),
    ],
  },
  {
    name: "propose_plan",
    stories: [
      story(
        "being said",
        saying("propose_plan", '{"plan": "# Move', { plan: "# Move the settings\n\n1. Read" }),
      ),
      story(
        "first version",
        call(
          "propose_plan",
          { plan: PLAN },
          { waiting: { kind: "answer", plan: { version: 1, text: PLAN, diff: "" } } },
        ),
      ),
      story(
        "a later version",
        call(
          "propose_plan",
          {},
          { waiting: { kind: "answer", plan: { version: 2, text: PLAN, diff: DIFF } } },
        ),
      ),
      story(
        "accepted",
        call("propose_plan", { plan: PLAN }, { result: { decision: "accept", version: 2, note: "" } }),
      ),
      story(
        "to be changed",
        call(
          "propose_plan",
          { plan: PLAN },
          { result: { decision: "revise", version: 1, feedback: "Keep the flags too.", note: "" } },
        ),
      ),
      story(
        "declined",
        call("propose_plan", { plan: PLAN }, { result: { decision: "decline", version: 1, note: "" } }),
      ),
      story(
        "written to a file, not to be loaded",
        call("propose_plan", {}, { result: { decision: "accept", version: 7 } }),
      ),
      story(
        "empty",
        call("propose_plan", { plan: "" }, { error: "The plan is empty. Write it, and propose it then." }),
      ),
    ],
  },
];

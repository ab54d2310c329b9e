import { type Chapter, part, type Story, story, text } from "../story";

const MARKDOWN = `# Heading one
Some **bold**, *italic*, ~~gone~~ and \`code\`, a [link](https://example.com/page), a path [src/a.py](src/a.py), and https://example.org.

## Heading two
1. First
2. Second
   - nested
   - [x] done
   - [ ] to do

> A quote
> of two lines.

| Name | Count | A rather long column that makes the table wide |
|:-----|------:|:----:|
| one  | 1     | words and words and words and words |
| two  | 20    | \`code\` |

\`\`\`python title="src/greet.py"
def greet(name: str) -> None:
    """Says hello."""
    for count in range(3):
        print(f"Hello, {name}.", count)  # three times
\`\`\`

Inline math $e^{i\\pi} + 1 = 0$, and a block:

$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$

![A chart](https://example.com/chart.png)

---

Use <Button onClick={go}>Go</Button> & be done &mdash; it costs $5 or $6.`;

const HOSTILE = `<script>alert(1)</script> [click](javascript:alert(1)) ![x](data:image/svg+xml;base64,AAAA)

<img src=x onerror=alert(1)> and \u202eright to left\u202c, [https://bank.example](https://evil.example)

<svg><script>alert(1)</script></svg>

${"a".repeat(3_000)}`;

const THOUGHT = "The user wants a greeting. **First** I look at what is there.\n\nThen I write it.";
const reasoning = (completed: boolean) =>
  part({
    type: "reasoning",
    text: THOUGHT,
    created_at: "2026-01-01T12:00:00Z",
    completed_at: completed ? "2026-01-01T12:00:14Z" : null,
  });
const source = (source_id: string, url: string, title: string) =>
  part({ type: "source", source_id, url, title });
const user = (shown: Story): Story => ({ ...shown, role: "user" });

export const PARTS_STORIES: Chapter[] = [
  {
    name: "text",
    stories: [
      story("Markdown", text(MARKDOWN)),
      { ...story("being said", text("I look at **the fi")), live: true },
      story("hostile", text(HOSTILE)),
      story("empty", text("")),
      story("from right to left", text("שלום, זה טקסט עם `code` בפנים.")),
      user(story("of a person", text("Make **this** work.\n\n  It keeps its spaces."))),
      {
        ...story(
          "of the server",
          text("The files could not be kept before this step, so it cannot be undone with a restore."),
        ),
        role: "system",
      },
    ],
  },
  {
    name: "thinking",
    stories: [
      { ...story("while it thinks", reasoning(false)), live: true },
      story("thought", reasoning(true)),
      story("without words", part({ type: "reasoning", text: "" })),
    ],
  },
  {
    name: "files and sources",
    stories: [
      user(
        story(
          "an image that is gone",
          part({ type: "file", file_id: "gone", media_type: "image/png", name: "chart.png" }),
        ),
      ),
      user(
        story(
          "a text",
          part({ type: "file", file_id: "gone", media_type: "text/markdown", name: "notes.md" }),
        ),
      ),
      story(
        "a download",
        part({
          type: "file",
          file_id: "gone",
          media_type: "application/zip",
          name: `${"long-name-".repeat(20)}.zip`,
        }),
      ),
      user(
        story(
          "lines of a file",
          part({
            type: "file-reference",
            file_name: "src/greet.py",
            start_line: 3,
            end_line: 9,
            content: "def greet():\n    pass",
          }),
          part({ type: "context-file", context_file_path: "AGENTS.md", context_file_truncated: true }),
          part({ type: "skill", skill_name: "deploy", skill_description: "How to deploy." }),
        ),
      ),
      story(
        "a notice of policy",
        part({ type: "hook-notice", text: "This command was changed by a rule of your company." }),
      ),
      story(
        "sources",
        source("1", "https://peps.python.org/pep-0745/", "PEP 745"),
        source("2", "https://docs.python.org/3/", ""),
        source(
          "3",
          "https://example.com/a",
          "Another page with a very long title that has to be cut somewhere, because there is no room for it",
        ),
        source("4", "https://example.com/b", "B"),
        source("5", "javascript:alert(1)", "Bad"),
      ),
    ],
  },
];

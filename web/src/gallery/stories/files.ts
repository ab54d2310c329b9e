import { type Chapter, call, saying, story } from "../story";

const DIFF = `--- a/src/greet.py
+++ b/src/greet.py
@@ -1,6 +1,8 @@ def greet
 import sys
 
-def greet(name):
-    print("Hello " + name)
+
+def greet(name: str) -> None:
+    """Says hello."""
+    print(f"Hello, {name}.")
 
 greet(sys.argv[1])
`;
const DIFF_2 = `--- a/README.md
+++ b/README.md
@@ -1,2 +1,2 @@
-# greet
+# Greet
 Says hello.
`;
const LONG_DIFF = `--- a/src/greet.py
+++ b/src/greet.py
@@ -0,0 +1,600 @@
${Array.from({ length: 600 }, (_, index) => `+${"wide ".repeat(index % 60)}${index}`).join("\n")}
`;
const EDIT = {
  files: [
    {
      path: "src/greet.py",
      edits: [{ old_text: 'print("Hello " + name)', new_text: 'print(f"Hello, {name}.")' }],
    },
  ],
};
const BOTH = {
  files: [...EDIT.files, { path: "README.md", edits: [{ old_text: "# greet", new_text: "# Greet" }] }],
};
const LINES = Array.from(
  { length: 1200 },
  (_, index) => `${index + 1}\tvalue_${index} = compute(${index})  # ${"x".repeat(index % 90)}`,
);
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAGAAAABACAIAAABqVuVBAAAAaklEQVR42u3QMQEAAAgDoPWvaTZb+AoRSJpcBgoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgQIECBQoUKFCgwL0FQ1wAAZ8vX0YAAAAASUVORK5CYII=";

export const FILES: Chapter[] = [
  {
    name: "read_file",
    stories: [
      story("being said", saying("read_file", '{"path": "src/gr')),
      story("running", call("read_file", { path: "src/greet.py" })),
      story(
        "done",
        call(
          "read_file",
          { path: "src/greet.py" },
          {
            result: {
              content: "1\timport sys\n2\t\n3\tdef greet(name):\n4\t    print('Hello ' + name)",
              file_size: 60,
              lines_read: 4,
              total_lines: 4,
            },
          },
        ),
      ),
      story(
        "long and wide",
        call(
          "read_file",
          { path: `src/${"deep/".repeat(20)}data.py` },
          {
            result: {
              content: LINES.join("\n"),
              lines_read: 1200,
              note: "These are lines 1 to 1200 of 5000. Go on with offset 1201.",
            },
          },
        ),
      ),
      story(
        "empty",
        call("read_file", { path: "empty.txt" }, { result: { content: "", file_size: 0, lines_read: 0 } }),
      ),
      story(
        "failed",
        call(
          "read_file",
          { path: "src/gret.py" },
          { error: "src/gret.py does not exist. Do you mean src/greet.py?" },
        ),
      ),
      story(
        "a picture",
        call(
          "read_file",
          { path: "logo.png" },
          {
            media: true,
            result: { data: PIXEL, mime_type: "image/png", text: "logo.png: image/png, 180 bytes" },
          },
        ),
      ),
      story(
        "a document",
        call(
          "read_file",
          { path: "report.pdf" },
          {
            media: { type: "file", file_id: "f-1", media_type: "application/pdf", name: "report.pdf" },
            result: { mime_type: "application/pdf", text: "report.pdf: application/pdf, 48210 bytes" },
          },
        ),
      ),
      story(
        "several in a row",
        ...["a.py", "b.py", "missing.py"].map((path) =>
          call(
            "read_file",
            { path },
            path === "missing.py"
              ? { error: "missing.py does not exist." }
              : { result: { content: "1\tpass", lines_read: 1 } },
          ),
        ),
      ),
      story(
        "several in a row, running",
        call("read_file", { path: "a.py" }, { result: { content: "1\tpass", lines_read: 1 } }),
        call("read_file", { path: "b.py" }),
      ),
    ],
  },
  {
    name: "write_file",
    stories: [
      story(
        "being said",
        saying("write_file", '{"path": "notes.md", "content": "# No', { path: "notes.md" }),
      ),
      story("running", call("write_file", { path: "notes.md", content: "# Notes\n" })),
      story(
        "created",
        call(
          "write_file",
          { path: "notes.md", content: "# Notes\n\nOne.\n" },
          { result: { ok: true, created: true, size: 14 } },
        ),
      ),
      story(
        "replaced",
        call(
          "write_file",
          { path: "src/greet.py", content: "…" },
          { result: { ok: true, created: false, size: 90, diff: DIFF } },
        ),
      ),
      story(
        "failed",
        call(
          "write_file",
          { path: "/etc/hosts", content: "x" },
          { error: "/etc/hosts is outside of the workspace." },
        ),
      ),
      story(
        "denied by a person",
        call(
          "write_file",
          { path: "notes.md", content: "x" },
          { error: "The user has denied it: keep notes elsewhere.", decision: { allowed: false, by: "me" } },
        ),
      ),
    ],
  },
  {
    name: "edit_files",
    stories: [
      story(
        "being said",
        saying("edit_files", '{"files": [{"path": "src/greet.py", "edits": [', {
          files: [{ path: "src/greet.py" }],
        }),
      ),
      story("running", call("edit_files", EDIT)),
      story(
        "one file",
        call("edit_files", EDIT, { result: { ok: true, files: [{ path: "src/greet.py", diff: DIFF }] } }),
      ),
      story(
        "several files",
        call("edit_files", BOTH, {
          result: {
            ok: true,
            files: [
              { path: "src/greet.py", diff: DIFF },
              { path: "README.md", diff: DIFF_2 },
            ],
          },
        }),
      ),
      story(
        "without the diff of one",
        call("edit_files", BOTH, {
          result: {
            ok: true,
            files: [
              { path: "src/greet.py", diff: DIFF },
              { path: "README.md", diff: "" },
            ],
          },
        }),
      ),
      story("without any diff", call("edit_files", EDIT, { result: { ok: true, files: [] } })),
      story(
        "changes nothing",
        call(
          "edit_files",
          { files: [{ path: "src/greet.py", edits: [{ old_text: "same", new_text: "same" }] }] },
          { result: { ok: true, files: [{ path: "src/greet.py", diff: "" }] } },
        ),
      ),
      story(
        "long",
        call("edit_files", EDIT, {
          result: { ok: true, files: [{ path: "src/greet.py", diff: LONG_DIFF }] },
        }),
      ),
      story(
        "failed",
        call("edit_files", EDIT, { error: "files[0].edits[0]: old_text is not in src/greet.py." }),
      ),
      story(
        "rewritten by a rule",
        call("edit_files", EDIT, {
          part: { hook_rewritten: true },
          result: { ok: true, files: [{ path: "src/greet.py", diff: DIFF }] },
        }),
      ),
      story("arguments that are none", call("edit_files", "no", { error: "The arguments are no object." })),
    ],
  },
  {
    name: "find_files, search_files, attach_file",
    stories: [
      story("finding", call("find_files", { pattern: "**/*.py" })),
      story(
        "found",
        call(
          "find_files",
          { pattern: "**/*.py", path: "src" },
          { result: { paths: ["src/a.py", "src/b.py"] } },
        ),
      ),
      story(
        "nothing found",
        call("find_files", { pattern: "*.rs" }, { result: { paths: [], note: "No file matches." } }),
      ),
      story("searching", call("search_files", { pattern: "def greet" })),
      story(
        "matches",
        call(
          "search_files",
          { pattern: "def \\w+", glob: "*.py" },
          {
            result: {
              matches: 2,
              files: [
                { path: "src/greet.py", lines: "2-\n3:def greet(name):\n4-    print(name)" },
                { path: "src/main.py", lines: "10:def main():" },
              ],
              note: "There are more. Narrow pattern, path or glob, or raise limit.",
            },
          },
        ),
      ),
      story("no match", call("search_files", { pattern: "TODO" }, { result: { matches: 0, files: [] } })),
      story(
        "search failed",
        call(
          "search_files",
          { pattern: "(" },
          { error: "The pattern is no regular expression: unclosed group." },
        ),
      ),
      story("attaching", call("attach_file", { path: "out/report.pdf" })),
      story(
        "attached",
        call(
          "attach_file",
          { path: "out/report.pdf" },
          {
            result: {
              ok: true,
              name: "report.pdf",
              file_id: "f1",
              media_type: "application/pdf",
              size: 12_000,
            },
          },
        ),
      ),
      story(
        "attaching failed",
        call(
          "attach_file",
          { path: "out/report.pdf" },
          { error: "Nothing was attached: out/report.pdf is empty." },
        ),
      ),
    ],
  },
];

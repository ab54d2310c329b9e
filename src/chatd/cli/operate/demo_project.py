"""The small project of `chatd demo`, and the script with which the scripted model mends it.

It needs nothing but a POSIX shell, so that it runs on every machine and in every sandbox.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

FILES: Final[Mapping[str, str]] = {
    "AGENTS.md": "Run the tests with `sh test.sh` before and after each change.\n",
    "mean.sh": """\
#!/bin/sh
# Prints the mean of whole numbers, rounded down.
sum=0
for number in "$@"; do
    sum=$((sum + number))
done
echo $((sum / $# + 1))
""",
    "test.sh": """\
#!/bin/sh
# The tests of mean.sh.
failed=0
expect() {
    wanted=$1
    shift
    got=$(sh mean.sh "$@")
    if [ "$got" = "$wanted" ]; then
        echo "ok: the mean of $* is $wanted"
    else
        echo "FAILED: the mean of $* is $wanted, not $got"
        failed=1
    fi
}
expect 4 2 4 6
expect 10 10
exit $failed
""",
}

SCRIPT: Final = r"""
# What the scripted model does: it is no AI, and follows these lines.
say I have a look at the project first.
call find_files {"pattern": "*"}
call read_file {"path": "mean.sh"}
next
say Now I run the tests, to see what fails.
call execute {"command": "sh test.sh", "model_intent": "running the tests"}
next
say The mean is too large by one. Where is it worked out?
call search_files {"pattern": "echo", "glob": "*.sh"}
next
think sum / $# is the mean already; the + 1 is the mistake.
say I take the `+ 1` out of mean.sh.
call edit_files {"files": [{"path": "mean.sh", "edits": [{"old_text": " + 1", "new_text": ""}]}]}
next
call execute {"command": "sh test.sh", "model_intent": "running the tests again"}
next
say Done: the tests pass. `chatd restore` would bring the old files back.
""".strip()


def make_project(folder: Path) -> None:
    """Write the files. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")

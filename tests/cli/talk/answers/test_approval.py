"""What a person is shown of a call that needs their approval, and what their answer means."""

from typing import Any

import pytest

from chatd.cli.talk.answers.answering import Answering
from chatd.cli.talk.answers.approval import SHOWN_CHARACTERS_MAX, approval_of, choices, description, question
from chatd.cli.talk.showing.pieces import Tone
from chatd.client.answers import ApprovalRequest, ApprovalScope, Awaited

ALL_SCOPES = (
    ApprovalScope(scope="once"),
    ApprovalScope(scope="chat", rules=("allow calls of `execute` for the program `sh test.sh`",)),
    ApprovalScope(scope="always", rules=("allow calls of `execute` for the program `sh test.sh`",)),
)


def awaited(args: Any, tool: str = "execute", **request: Any) -> Awaited:
    approval = ApprovalRequest(**{"scopes": ALL_SCOPES, **request})
    return Awaited(
        tool_call_id="c", message_id=4, tool_name=tool, kind="approval", args=args, approval=approval
    )


def described(asked: Awaited) -> str:
    """What is printed, and the choices."""
    return "".join(piece.text for piece in description(asked)) + "\n".join(choices(asked))


def test_a_command_is_shown_whole_with_the_programs_that_it_runs_and_what_each_answer_allows() -> None:
    programs = (("git", "status"), ("rm", "-rf", "x"))

    assert described(awaited({"command": "git status; rm -rf x", "workdir": "src"}, programs=programs)) == (
        "May the agent run execute?\n"
        "  $ git status; rm -rf x\n"
        "    workdir: src\n"
        "  It runs 2 programs: git status; rm -rf x\n"
        "  y  allow it this time\n"
        "  c  allow such calls in this chat: allow calls of `execute` for the program `sh test.sh`\n"
        "  a  allow such calls in all your chats: allow calls of `execute` for the program `sh test.sh`\n"
        "  n  do not; what you write behind it is told to the agent"
    )


def test_of_an_edit_the_diff_is_shown() -> None:
    shown = described(awaited({"files": []}, "edit_files", preview="-old\n+new\n", writes=("a.py",)))

    assert "-old\n+new\n  It writes a.py\n" in shown


def test_what_a_terminal_would_hide_is_escaped() -> None:
    shown = described(awaited({"command": "ls \u202e\x1b[2K; rm x"}, programs=(("ls",),)))

    assert r"$ ls \u202e\u001b[2K; rm x" in shown


def test_a_command_that_is_too_long_to_be_shown_says_so() -> None:
    shown = described(awaited({"command": "x" * (SHOWN_CHARACTERS_MAX + 1500)}, programs=(("x",),)))

    assert "[1,500 more characters are not shown here" in shown


@pytest.mark.parametrize(
    ("line", "decision", "scope", "reason"),
    [
        ("y", "allow", "once", None),
        ("Yes", "allow", "once", None),
        ("c", "allow", "chat", None),
        ("a", "allow", "always", None),
        ("n Use make test.", "deny", "once", "Use make test."),
    ],
)
def test_an_answer_decides_on_this_very_call(
    line: str, decision: str, scope: str, reason: str | None
) -> None:
    assert approval_of(awaited({}), line) == {
        "tool_call_id": "c",
        "message_id": 4,
        "decision": decision,
        "scope": scope,
        "reason": reason,
    }


@pytest.mark.parametrize("line", ["a better way is make test", "yes but not in src", "c and d as well"])
def test_words_of_somebody_who_goes_on_allow_nothing(line: str) -> None:
    assert approval_of(awaited({}), line) is None


def test_what_is_no_answer_is_told_how_to_answer() -> None:
    said = Answering().take(awaited({"command": "ls"}), "a better way is make test")

    assert said.approvals == ()
    assert [piece.text for piece in said.shown[:2]] == [
        "That is no answer to this. Type y, c, a or n; words may follow n alone.\n",
        "May the agent run execute?\n",
    ]


def test_the_change_that_is_asked_for_has_the_colours_of_a_change() -> None:
    asked = awaited({"files": []}, "edit_files", preview="-old\n+new\n")

    assert [piece.text for piece in description(asked) if piece.tone is Tone.DIFF] == ["-old\n", "+new\n"]


@pytest.mark.parametrize(
    ("line", "words"),
    [("y", "Allowed this time."), ("c", "Allowed in this chat."), ("n Use make.", "Denied.")],
)
def test_what_an_answer_came_to_is_said(line: str, words: str) -> None:
    assert [piece.text.strip() for piece in Answering().take(awaited({}), line).shown] == [words]


def test_what_is_not_offered_is_no_answer() -> None:
    only_once = awaited({}, scopes=(ApprovalScope(scope="once"),))

    assert question(awaited({})) == "y/c/a/n> "
    assert question(only_once) == "y/n> "
    assert [approval_of(only_once, line) for line in ("a", "c", "", "perhaps")] == [None] * 4

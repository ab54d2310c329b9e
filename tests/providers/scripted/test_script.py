"""The language of scripts."""

import re

import pytest

from chatd.domain.ids import CallId
from chatd.providers.events import Stop
from chatd.providers.scripted.script import (
    FAILURES,
    LINES_MAX,
    STREAM_WORDS_MAX,
    VERBS,
    CallTool,
    End,
    Fail,
    Misunderstood,
    Ramble,
    Report,
    Say,
    Script,
    Search,
    Think,
    Wait,
    read_script,
    rest_of_script,
    text_step,
)
from tests.house.repository import read

PAGE = "docs/howto/script-a-model.md"


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("say Hello there.", Say("Hello there.")),
        ("say # is not a comment here", Say("# is not a comment here")),
        ("say", Say("")),
        ("think Let me see.", Think("Let me see.")),
        ('call read_file {"path": "a.txt"}', CallTool("read_file", {"path": "a.txt"})),
        ('call read_file {"path": "# a"}   # a comment', CallTool("read_file", {"path": "# a"})),
        ("call alone", CallTool("alone", {})),
        ("call alone # nobody else", CallTool("alone", {})),
        ('call @c1 echo {"text": "x"}', CallTool("echo", {"text": "x"}, CallId("c1"))),
        ('call echo raw {"text": ', CallTool("echo", '{"text":')),
        ("call echo raw", CallTool("echo", "")),
        ("search cats in boxes", Search("cats in boxes")),
        ("wait 2.5", Wait(2.5)),
        ("wait 1 second  # not long", Wait(1.0)),
        ("stream 200 words at 50 per second", Ramble(200, 50.0)),
        ("stream 1 word", Ramble(1)),
        ("stop", Fail(kind=None)),
        ("stop after 4 words once", Fail(kind=None, after_words=4, times=1)),
        ("fail auth", Fail(kind="auth")),
        ("fail overloaded twice", Fail(kind="overloaded", times=2)),
        ("fail timeout 7 times after 1 word", Fail(kind="timeout", times=7, after_words=1)),
        (
            "fail rate_limit after 3 tokens retry after 5",
            Fail(kind="rate_limit", after_words=3, retry_after_seconds=5.0),
        ),
        (
            "fail rate_limit retry after 0.5 seconds once",
            Fail(kind="rate_limit", times=1, retry_after_seconds=0.5),
        ),
        ("end length", End(Stop.LENGTH)),
        ("usage 1200", Report(1200)),
        ("usage 1200 of 200000", Report(1200, 200_000)),
    ],
)
def test_a_line_is_one_instruction(line: str, meaning: object) -> None:
    assert read_script(line) == Script(((meaning,),))  # type: ignore[arg-type]  # the table holds all kinds


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("call", "write `call TOOL"),
        ('call {"text": "x"}', "write `call TOOL"),
        ("call me later", "no JSON"),
        ("call echo [1]", "an object"),
        ('call echo {"text": 1, "text": 2}', "twice"),
        ('call echo {"text": NaN}', "no JSON"),
        ('call echo {"text": "x"} and more', "something follows"),
        ("search", "what to search for"),
        ("wait", "write `wait SECONDS`"),
        ("wait -1", "write `wait SECONDS`"),
        ("wait 1e9", "write `wait SECONDS`"),
        ("wait 999999", "at most 3600"),
        ("stream words", "write `stream N words`"),
        (f"stream {STREAM_WORDS_MAX + 1} words", "at most"),
        ("stream 5 words at 0 per second", "more than nothing"),
        ("fail", "say how to fail"),
        ("fail badly", "say how to fail"),
        ("fail auth on mondays", "what does `on mondays` mean"),
        ("fail auth once twice", "what does `twice` mean"),
        ("stop retry after 5", "asks for nothing"),
        ("end happily", "say why"),
        ("usage a lot", "write `usage N`"),
        (f"wait {'9' * 4301}", "at most 3600"),
        (f"stream {'9' * 4301} words", "at most 100000"),
        (f"stream 5 words at {'9' * 4301} per second", "at most 1e+06"),
        ("stream 5 words at 0.0001 per second", "a word in 3600 seconds"),
        (f"fail auth after {'9' * 4301} words", "at most 100000"),
        (f"fail auth {'9' * 4301} times", "at most 10000"),
        (f"fail rate_limit retry after {'9' * 400}", "at most 86400"),
        (f"usage {'9' * 4301}", "at most 1e+12"),
        (f"usage 1 of {'9' * 4301}", "at most 1e+12"),
        (f'call echo {{"number": {"9" * 4301}}}', "no JSON"),
        ("next please", "stands alone"),
        ("fail auth\nsay unheard", "nothing comes after"),
        ("say a\nsya b", "`sya` is no instruction"),
    ],
)
def test_a_line_that_is_not_understood_is_named_with_the_reason(line: str, why: str) -> None:
    misunderstood = read_script(line)

    assert isinstance(misunderstood, Misunderstood)
    (problem,) = misunderstood.problems
    assert (problem.text, why in problem.why) == (line.splitlines()[-1], True), problem


def test_a_script_is_read_up_to_a_bound() -> None:
    longest = read_script("say x\n" * LINES_MAX)
    longer = read_script("say x\n" * (LINES_MAX + 1))

    assert isinstance(longest, Script)
    assert isinstance(longer, Misunderstood)
    assert [problem.line for problem in longer.problems] == [LINES_MAX + 1]


def test_a_long_text_is_no_script_although_a_later_line_could_be_one() -> None:
    assert read_script("ordinary text\n" * LINES_MAX + "say x") is None


def test_next_begins_another_step() -> None:
    script = read_script("call echo\ncall alone\n\nnext   # when they have come back\nsay Done.")

    assert script == Script(((CallTool("echo", {}), CallTool("alone", {})), (Say("Done."),)))


def test_what_follows_a_passing_failure_is_for_a_later_attempt() -> None:
    assert read_script("fail overloaded once\nsay Better.") == Script(
        ((Fail(kind="overloaded", times=1), Say("Better.")),)
    )


def test_blank_lines_comments_and_fences_mean_nothing() -> None:
    assert read_script("```text\n# a greeting\n\n  say Hello.\n```\n") == Script(((Say("Hello."),),))


def test_of_a_message_with_a_script_in_it_only_the_script_counts() -> None:
    text = "Please:\n```script\nsay Hello.\n```\nsay nothing else\n```\nsay no\n```"

    assert read_script(text) == Script(((Say("Hello."),),))


def test_what_is_left_of_a_script_is_a_script() -> None:
    text = "```text\nsay a # b\nnext\n\ncall echo # c\nnext # d\nsay e\n```"

    whole = read_script(text)

    assert isinstance(whole, Script)
    rests = [read_script(rest_of_script(text, done)) for done in range(3)]
    assert rests == [Script(whole.steps[done:]) for done in range(3)]
    assert rest_of_script(text, 3) == ""


@pytest.mark.parametrize(
    "text", ["", "Hello!", "Say hello to her.", "wait, what?", "saying so", "for now, wait"]
)
def test_text_without_an_instruction_is_no_script(text: str) -> None:
    assert read_script(text) is None


def test_every_mistake_is_found_at_once() -> None:
    misunderstood = read_script("say Hello.\nwait long\nhop\n")

    assert isinstance(misunderstood, Misunderstood)
    assert [problem.line for problem in misunderstood.problems] == [2, 3]


def test_what_is_said_for_a_text_about_the_chat_is_no_part_of_the_reply() -> None:
    text = "for title say Moons\nfor label wait 2\nfor label say Named four moons\nsay Io."

    assert read_script(text) == Script(((Say("Io."),),))
    assert text_step(text, "title") == (Say("Moons"),)
    assert text_step(text, "label") == (Wait(2.0), Say("Named four moons"))
    assert text_step(text, "chat_summary") == ()


@pytest.mark.parametrize("line", ["for lunch say Soup", "for title call echo", "for title"])
def test_a_text_that_there_is_not_and_a_call_for_one_are_mistakes(line: str) -> None:
    assert isinstance(read_script(f"say Io.\n{line}"), Misunderstood)
    assert text_step(line, "title") == ()


def test_the_how_to_names_every_instruction_and_every_failure() -> None:
    page = read(PAGE)

    assert [word for word in (*VERBS, "next", *FAILURES, *Stop) if f"`{word}" not in page] == []


def test_every_example_of_the_how_to_is_understood() -> None:
    examples = re.findall(r"^```text\n(.*?)^```", read(PAGE), re.MULTILINE | re.DOTALL)

    assert examples
    assert [example for example in examples if not isinstance(read_script(example), Script)] == []


def test_blanks_after_say_and_think_are_part_of_the_words() -> None:
    text = "say def f():\n  say     return 1  \nthink   - so\nsay\nsay  "

    assert read_script(text) == Script(
        ((Say("def f():"), Say("    return 1"), Think("  - so"), Say(""), Say("")),)
    )
    assert rest_of_script(f"say a\nnext\n{text}", 1).splitlines()[1] == "say     return 1"

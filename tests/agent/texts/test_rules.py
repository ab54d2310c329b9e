"""What a model wrote becomes a text for a list, whatever it was made to write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.agent.texts.rules import label_of, label_of_report, summary_of, title_of
from chatd.domain.profile.texts import GENERATED_TITLE_LENGTH_MAX, SUMMARY_LENGTH_MAX, TURN_LABEL_LENGTH_MAX
from chatd.kit.text import is_plain


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Moons of Jupiter", "Moons of Jupiter"),
        ('"Moons of Jupiter."', "Moons of Jupiter"),
        ("# Title: Moons of Jupiter\nThis title says it all.", "Moons of Jupiter"),
        ("**Moons of Jupiter**", "Moons of Jupiter"),
        ("Title insurance for boats", "Title insurance for boats"),
        ("one two three four five six seven eight nine ten", "one two three four five six seven eight"),
        ("\n\n  木星の衛星  \n", "木星の衛星"),
        ("red\u202egnp.exe \x1b[2J\x07 title", "redgnp.exe [2J title"),
        ("w" * 500, "w" * 79 + "…"),
        ("", None),
        (" \n\t ", None),
        ('""', None),
    ],
)
def test_a_title_is_one_line_of_at_most_eight_words(said: str, title: str | None) -> None:
    assert title_of(said) == title


@pytest.mark.parametrize("said", ["Fixed the tests", "Answered two questions", '"Read config files"'])
def test_two_to_five_words_are_a_label(said: str) -> None:
    assert label_of(said) == said.strip('"')


@pytest.mark.parametrize(
    "said",
    [
        "Done",
        "Fixed the tests and then some more",
        "Fixed the tests.",
        "Really? Fixed them",
        "I fixed it",
        "The tests pass",
        "An error occurred",
        "Agent fixed tests",
        "It works now",
        "Fixed tests\nand more",
        "w" * 60 + " " + "w" * 60,
        "",
    ],
)
def test_a_sentence_and_one_that_says_who_did_it_are_no_labels(said: str) -> None:
    assert label_of(said) is None


def test_a_summary_is_a_few_sentences_on_one_line() -> None:
    assert summary_of(" About tests.\nTwo fail. ") == "About tests. Two fail."
    assert summary_of("One. " * 6) == "One. One. One. One. One. One."
    assert summary_of("One. " * 7) is None
    assert summary_of("w" * SUMMARY_LENGTH_MAX) == "w" * SUMMARY_LENGTH_MAX
    assert summary_of("w" * (SUMMARY_LENGTH_MAX + 1)) is None
    assert summary_of(" ") is None


def test_a_report_is_labelled_with_its_first_paragraph_that_is_prose() -> None:
    report = "# Report\n\n```\ncode\n```\n\nOne is done. Two is done! Is three? Four is not.\n\nMore."

    assert label_of_report(report) == "One is done. Two is done! Is three?"
    assert label_of_report("w" * 500) == "w" * (TURN_LABEL_LENGTH_MAX - 1) + "…"
    assert label_of_report("\n\n") is None


@given(st.text())
def test_whatever_is_said_what_is_kept_fits_on_one_line_and_into_its_row(said: str) -> None:
    bounds = {
        title_of: GENERATED_TITLE_LENGTH_MAX,
        label_of: TURN_LABEL_LENGTH_MAX,
        summary_of: SUMMARY_LENGTH_MAX,
        label_of_report: TURN_LABEL_LENGTH_MAX,
    }
    for rule, length_max in bounds.items():
        kept = rule(said)
        assert kept is None or (0 < len(kept) <= length_max and is_plain(kept))

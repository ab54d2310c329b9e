from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.front_matter import BadFrontMatter, split_front_matter


def fields_of(front: str) -> dict[str, str]:
    return split_front_matter(f"---\n{front}\n---\nbody")[0]


def test_the_fields_and_the_text_below_them() -> None:
    assert split_front_matter("---\nname: a\n---\n\nThe text.\n---\nMore.") == (
        {"name": "a"},
        "\nThe text.\n---\nMore.",
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("plain words", "plain words"),
        ("with: a colon, and https://example.com", "with: a colon, and https://example.com"),
        ("words # and a comment", "words"),
        ("C#", "C#"),
        ('"quoted # words: \\"so\\""', 'quoted # words: "so"'),
        ('"a" # comment', "a"),
        ("'it''s'", "it's"),
        ("", ""),
        ("first\n  second\n\n  third", "first second third"),
        ("|\n  one\n    two\n\n  three", "one\n  two\n\nthree"),
        (">-\n  one\n  two\n\n  three", "one two\nthree"),
        ("*alias", "*alias"),
        ("!!python/object/apply:os.system [true]", "!!python/object/apply:os.system [true]"),
        ("\n  nested: field\n  other: one", "nested: field other: one"),
        ("\n- a\n- b", "- a - b"),
    ],
)
def test_a_field_is_the_text_that_was_meant(written: str, meant: str) -> None:
    assert fields_of(f"field: {written}\nlast: x") == {"field": meant, "last": "x"}


@pytest.mark.parametrize(
    "text",
    {
        "nothing": "",
        "no front matter": "# A title",
        "one that does not end": "---\nname: a\n",
        "a line that is no field": "---\nname: a\nwhat is this\n---\n",
        "a field that is there twice": "---\nname: a\nname: b\n---\n",
        "quotes that do not end": '---\nname: "a\n---\n',
        "single quotes that do not end": "---\nname: 'a\n---\n",
        "words behind quotes": '---\nname: "a" b\n---\n',
    }.values(),
)
def test_what_is_no_front_matter_is_refused(text: str) -> None:
    with pytest.raises(BadFrontMatter):
        split_front_matter(text)


@given(st.text(alphabet="-: \n#\"'|>ab\\[{&*", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        fields, _ = split_front_matter(f"---\n{text}\n---\n")
    except BadFrontMatter:
        return
    assert all(isinstance(value, str) for value in fields.values())


@pytest.mark.parametrize("piece", ["a: 'b\n", " 'x''", '"\\"', "- - \n", "\n\n", "k: |\n  ", " x\n"])
def test_a_long_text_ends_in_time(piece: str) -> None:
    """With another look at all of it for each of its lines, this would end with the time limit of tests."""
    with suppress(BadFrontMatter):
        split_front_matter("---\nfirst: 'x\n" + piece * (2_000_000 // len(piece)) + "\n---\n")

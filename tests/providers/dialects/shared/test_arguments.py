import pytest

from chatd.domain.part import Json
from chatd.providers.dialects.shared.arguments import read_arguments, whole_object


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('{"path": "a.txt"}', {"path": "a.txt"}),
        ("", {}),
        (" \n", {}),
        ('{"word": "\\ud83d"}', {"word": "\ud83d"}),
        ('{"n": 12345678901234567890123}', {"n": 12345678901234567890123}),
    ],
)
def test_an_object_is_an_object_and_nothing_is_an_empty_one(text: str, args: Json) -> None:
    assert read_arguments(text) == args


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a',
        "[1]",
        "null",
        '"text"',
        '{"a": 1} {"a": 2}',
        '{"a": 1, "a": 2}',
        '{"a": [{"b": 1, "b": 2}]}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e400}',
        '{"a": ' + "9" * 5000 + "}",
        '{"a":' * 200 + "1" + "}" * 200,
        '{"a":' * 100_000,
    ],
)
def test_whatever_else_a_model_wrote_stays_text(text: str) -> None:
    assert read_arguments(text) == text
    assert whole_object(text) is None

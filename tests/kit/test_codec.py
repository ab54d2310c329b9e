import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.codec import Decoder, as_text, encode, encode_text, from_column, to_column, without_strings

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@given(ANY_TEXT)
def test_any_text_survives_json(text: str) -> None:
    assert Decoder(str).decode(encode_text(text)) == text


@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT)))
def test_any_text_survives_deep_inside_and_as_a_key(value: dict[str, list[str]]) -> None:
    assert Decoder(dict[str, list[str]]).decode(encode_text(value)) == value


@given(ANY_TEXT)
def test_what_goes_into_a_column_fits_both_databases_and_comes_back(text: str) -> None:
    stored = to_column(text)

    assert "\0" not in stored
    stored.encode("utf-8")
    assert from_column(stored) == text


@given(ANY_TEXT)
def test_json_is_text_that_fits_both_databases(text: str) -> None:
    assert b"\0" not in encode(text)
    assert json.loads(encode(text)) == text


def test_ordinary_text_is_stored_as_it_is() -> None:
    assert to_column("Grüße, 世界") == "Grüße, 世界"


def test_a_value_as_text_is_the_text_itself_or_json() -> None:
    assert as_text("it's") == "it's"
    assert as_text({"a": [1, None]}) == '{"a":[1,null]}'


def test_what_is_not_json_is_an_error() -> None:
    with pytest.raises(msgspec.DecodeError):
        Decoder(str).decode('"half')


def test_json_of_another_shape_is_an_error_also_with_odd_text() -> None:
    with pytest.raises(msgspec.ValidationError):
        Decoder(int).decode('"\\ud800"')


@given(
    st.recursive(
        st.integers(0, 9) | ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner)
    )
)
def test_json_without_its_strings_has_the_same_brackets(value: object) -> None:
    def brackets(value: object) -> int:
        match value:
            case list():
                return 1 + sum(map(brackets, value))
            case dict():
                return 1 + sum(map(brackets, value.values()))
            case _:
                return 0

    left = without_strings(encode(value))

    assert b'"' not in left
    assert left.count(b"[") + left.count(b"{") == brackets(value)


@pytest.mark.parametrize("cut", [b'["', b'["a', b'["a\\', b'["' + b'\\"' * 1_000_000])
def test_a_string_that_does_not_end_goes_on_to_the_end(cut: bytes) -> None:
    # In quadratic time the last one would take hours.
    assert without_strings(cut) == b"["

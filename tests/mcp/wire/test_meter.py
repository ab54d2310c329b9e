import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.mcp.limits import MESSAGE_BYTES_MAX, MESSAGE_VALUES_MAX
from chatd.mcp.wire.meter import Lines, Meter, TooLarge

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def values_in(value: object) -> int:
    """What stands between values: one for each comma, bracket and brace outside of strings."""
    match value:
        case list():
            return 1 + max(0, len(value) - 1) + sum(map(values_in, value))
        case dict():
            return 1 + max(0, len(value) - 1) + sum(map(values_in, value.values()))
        case _:
            return 0


@given(anything, st.data())
def test_values_are_counted_however_the_message_is_cut(value: object, data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    meter = Meter()

    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        meter.take(text[start:end])

    assert meter._values == values_in(value)


def test_a_long_table_in_a_text_is_no_trouble() -> None:
    Meter().take(json.dumps({"text": 'a,b,[c],{d}\\"\n' * 200_000}).encode())


@pytest.mark.parametrize(
    "text",
    [b"[" * (MESSAGE_VALUES_MAX + 1), b"1," * (MESSAGE_VALUES_MAX + 1), b"x" * (MESSAGE_BYTES_MAX + 1)],
)
def test_too_much_is_refused(text: bytes) -> None:
    with pytest.raises(TooLarge):
        Meter().take(text)


def test_a_string_that_never_ends_is_read_in_time_linear_in_its_length() -> None:
    meter = Meter()
    for _ in range(64):
        meter.take(b'\\"' * 60_000)


@given(st.lists(st.binary().filter(lambda line: b"\n" not in line)), st.integers(1, 10))
def test_lines_are_the_same_however_they_come(lines: list[bytes], size: int) -> None:
    text = b"".join(line + b"\n" for line in lines)
    reader = Lines()

    read = [line for start in range(0, len(text), size) for line in reader.take(text[start : start + size])]

    assert read == lines

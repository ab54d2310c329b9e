"""Long text that was pasted is a few words in the field, and sent whole."""

from chatd.cli.talk.typing.pasted import Pasted

LONG = "\n".join(f"line {number}" for number in range(200))


def test_a_long_text_is_a_few_words_in_the_field_and_whole_when_it_is_sent() -> None:
    pasted = Pasted()
    first, second = pasted.fold(LONG), pasted.fold("x" * 5000)

    assert Pasted().fold(f"{LONG}\n") == first
    assert (first, second) == ("[pasted 1: 200 lines]", "[pasted 2: 5,000 characters]")
    assert pasted.whole(f"See {first} and {second}.") == f"See {LONG} and {'x' * 5000}."


def test_a_short_text_is_shown_as_it_is() -> None:
    assert Pasted().fold("one\ntwo") == "one\ntwo"


def test_what_stands_for_a_text_is_known_so_that_it_goes_at_once() -> None:
    pasted = Pasted()
    mark = pasted.fold(LONG)

    assert (pasted.mark_at_end(f"See {mark}"), pasted.mark_at_end(f"{mark} there")) == (mark, "")
    pasted.forget()
    assert pasted.whole(mark) == mark

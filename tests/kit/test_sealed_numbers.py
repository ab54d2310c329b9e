from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.sealed_numbers import WORD_LENGTH, SealedNumbers

NUMBERS = SealedNumbers("secret")


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_a_number_comes_back_from_its_word(number: int) -> None:
    word = NUMBERS.seal(number)

    assert NUMBERS.open(word) == number
    assert NUMBERS.seal(number) == word
    assert len(word) == WORD_LENGTH


def test_words_do_not_tell_which_number_came_first_or_how_many_lie_between() -> None:
    words = [NUMBERS.seal(number) for number in range(200)]

    assert len(set(words)) == 200
    assert words != sorted(words)
    assert len({word[:4] for word in words}) > 190


def test_with_another_secret_it_is_another_word_and_not_one_of_ours() -> None:
    other = SealedNumbers("another")

    assert other.seal(7) != NUMBERS.seal(7)
    assert other.open(NUMBERS.seal(7)) is None


@given(st.text(max_size=40) | st.text(alphabet="abcXYZ019-_", min_size=22, max_size=22))
def test_what_was_made_up_is_not_one_of_ours(word: str) -> None:
    assert NUMBERS.open(word) is None


def test_one_letter_more_or_another_last_one_is_not_the_same_word() -> None:
    word = NUMBERS.seal(7)
    others = {
        word[:-1] + letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    }

    assert [each for each in others if NUMBERS.open(each) is not None] == [word]
    assert NUMBERS.open(word + "=") is None
    assert NUMBERS.open(word + "A") is None

"""What models say in the tests: everything that has to survive, in few words."""

from typing import Final

from tests.fake_provider.script import Answer, Call, Page, Search, answer, say, think

PAGES: Final = (Page("https://tides.example/moon", "The moon"), Page("https://tides.example/sun", "The sun"))

# A turn of three steps: calls at once, a search of the provider's own between thoughts, and an end.
THREE_STEPS: Final[tuple[Answer, ...]] = (
    answer(
        think(seal="hidden", hidden=True),
        think("Two things ", "at once.", seal="first"),
        say("Let me ", "look, \N{EYES}."),
        Call("a", "echo", {"text": "größer"}),
        Call("b", "remember", {"text": "later", "seconds": 0}),
    ),
    answer(
        think("I should search.", seal="second"),
        Search("s1", "tides", PAGES),
        think("Now I know.", seal="third"),
        say("The moon ", "does it.", citing=PAGES[:1]),
        Call("c", "echo", {"text": "moon"}),
    ),
    answer(think("Enough.", seal="fourth"), say("It is ", "the moon.")),
)

# What another model adds, with its own seals.
ELSEWHERE: Final[tuple[Answer, ...]] = (
    answer(
        think("Somebody was here before.", seal="fifth"),
        say("I look again."),
        Call("d", "echo", {"text": "again"}),
        Call("e", "echo", {"text": "and again"}),
    ),
    answer(
        think("Let me see.", seal="sixth"),
        Search("s2", "sun", PAGES[1:]),
        think("So it is.", seal="seventh"),
        say("The sun helps.", citing=PAGES[1:]),
    ),
)

"""One who follows pages: what must be noticed is."""

from pathlib import Path

import pytest

from tests.docs.following import Reader
from tests.docs.matching import matches

PAGE = """
```text words.txt
one
two
```

```console
$ cat words.txt
one
two
$ cat \\
> words.txt
…
two
```

<!-- keeps running -->
```console second
$ while read -p '> ' line; do echo "$line"; done
> hi
hi
```

```console second
> hello
hello
^C
$ echo done
done
```

<!-- not run: it would take too long -->
```console
$ sleep 1000
```
"""


async def test_a_page_that_tells_the_truth_passes(tmp_path: Path) -> None:
    async with Reader(tmp_path, PAGE) as reader:
        await reader.follow()


@pytest.mark.parametrize(
    ("told", "instead", "wrong"),
    [
        ("one\ntwo\n$", "one\n$", "`cat words.txt` prints something else."),
        ("> hello\nhello", "> hello\nhallo", "`hello` shows something else."),
        ("done\ndone", "done\ngone", "`echo done` prints something else."),
    ],
)
async def test_a_page_that_lies_does_not(tmp_path: Path, told: str, instead: str, wrong: str) -> None:
    async with Reader(tmp_path, PAGE.replace(told, instead), patience_seconds=1) as reader:
        with pytest.raises(AssertionError) as failed:
            await reader.follow()

    assert wrong in str(failed.value)


async def test_a_block_with_which_nothing_is_done_fails(tmp_path: Path) -> None:
    async with Reader(tmp_path, "```sh\nls\n```\n") as reader:
        with pytest.raises(AssertionError, match="nothing is done with a block `sh`"):
            await reader.follow()


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (["a … c"], ["a b c"]),
        (["…", "z"], ["a", "b", "z"]),
        (["a", "…"], ["a"]),
        (["…", "b", "…", "b"], ["a", "b", "b"]),
        (["…"], []),
        ([], []),
    ],
)
def test_dots_stand_for_any_text_and_alone_for_any_lines(expected: list[str], printed: list[str]) -> None:
    assert matches(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (["a"], []),
        ([], ["a"]),
        (["a … c"], ["a b"]),
        (["a", "c"], ["a", "b", "c"]),
        (["…", "b", "…", "b"], ["a", "b", "c"]),
        (["…", "b", "…", "b", "…"], ["a", "b", "c"]),
        (["a", "…", "a"], ["a"]),
    ],
)
def test_everything_else_is_compared(expected: list[str], printed: list[str]) -> None:
    assert not matches(expected, printed)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.globs import ALTERNATIVES_MAX, BadGlob, last_name, matcher


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "b/a.py"], ["a.pyc", "py"]),
        ("./a.py", ["a.py"], ["b.py"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/b/a.py", "x/src/a.py"]),
        ("src/", ["src/a", "src/b/c"], ["src", "x/src/a"]),
        ("**", ["a", "a/b/c"], []),
        ("**/a", ["a", "b/a", "c/b/a"], ["a/b", "ba"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/x", "b", "a/b/c"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab/c"]),
        ("**/a/**/b/**", ["a/b/c", "x/a/y/b/z/w"], ["a/b", "b/a/c"]),
        ("?.txt", ["a.txt"], ["ab.txt", ".txt"]),
        ("[a-c].txt", ["b.txt"], ["d.txt"]),
        ("*.{ts,ts{x,y}}", ["a.ts", "a.tsx", "a.tsy"], ["a.tsz"]),
        ("{src,test}/*", ["src/a", "test/b"], ["doc/c"]),
        ("{a}", ["{a}"], ["a"]),
    ],
)
def test_a_pattern_matches_what_people_expect(pattern: str, yes: list[str], no: list[str]) -> None:
    matches = matcher(pattern)

    assert [path for path in yes if not matches(path)] == []
    assert [path for path in no if matches(path)] == []


@pytest.mark.parametrize("pattern", ["", "x" * 1001, "{a,b}" * 7, "{" + "," * (ALTERNATIVES_MAX + 1) + "}"])
def test_a_pattern_without_bounds_is_refused(pattern: str) -> None:
    with pytest.raises(BadGlob):
        matcher(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 400 + "b", "a" * 250),
        ("**/a/" * 150 + "b", "a/" * 250 + "c"),
        ("[" * 1000, "["),
    ],
)
def test_a_hostile_pattern_takes_no_time(pattern: str, path: str) -> None:
    assert not matcher(pattern)(path)


NAMES = st.lists(st.text(alphabet="ab.", min_size=1, max_size=3), min_size=1, max_size=5)


@given(names=NAMES)
def test_every_path_matches_itself_and_everything(names: list[str]) -> None:
    path = "/".join(names)

    assert matcher("**")(path)
    assert matcher("*")(path)
    assert matcher("**/" + names[-1])(path)
    assert matcher("/".join("*" for _ in names))(path)


@given(names=NAMES)
def test_the_last_name_is_in_every_match(names: list[str]) -> None:
    pattern = "/".join(["**", *names])
    last = last_name(pattern)

    assert last is not None
    assert matcher(last)("/".join(names))


@pytest.mark.parametrize("pattern", ["**", "src/**", "src/", "{a/b,c}"])
def test_where_nothing_can_be_said_of_the_last_name_nothing_is(pattern: str) -> None:
    assert last_name(pattern) is None

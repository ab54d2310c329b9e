import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.approvals.patterns import exactly, fits_name, fits_path, fits_words, place_of
from chatd.approvals.shell.parse import parse_command


def fits(patterns: str, command: str) -> bool:
    return fits_words(patterns.split(), parse_command(command).programs[0].words)


def test_words_fit_one_by_one_and_a_star_at_the_end_stands_for_the_rest() -> None:
    assert fits("git status", "git status")
    assert not fits("git status", "git status -s")
    assert fits("git status *", "git status")
    assert fits("git status *", "git status -s x")
    assert fits("git * --stat", "git diff --stat")
    assert not fits("git * --stat", "git diff x --stat")
    assert not fits("git status *", "git stash")
    assert not fits("git status *", "git -C / status")


def test_a_word_that_is_not_known_fits_only_the_rest() -> None:
    assert fits("git add *", "git add $x")
    assert not fits("git add ?*", "git add $x")
    assert not fits("git *", "X=1 git add")


@given(st.text(max_size=30))
def test_a_text_fits_the_pattern_that_is_made_of_it_and_no_longer_text_does(text: str) -> None:
    assert fits_name(exactly(text), text)
    assert not fits_name(exactly(text), text + "x")


@pytest.mark.parametrize(
    ("pattern", "path", "does"),
    [
        ("src/*", "src/a.py", True),
        ("src/*", "src/b/a.py", False),
        ("src/**", "src/b/a.py", True),
        ("**/*.py", "a.py", True),
        ("**/*.py", "src/b/a.py", True),
        ("**", "a", True),
        ("a/**/b/**/c", "a/x/b/y/b/c", True),
        ("a/**/b", "a/c", False),
        ("*", "/etc/passwd", False),
        ("**", "/etc/passwd", False),
        ("/srv/**", "/srv/x/y", True),
        ("/srv/**", "srv/x", False),
    ],
)
def test_a_star_stays_in_its_folder_and_two_do_not(pattern: str, path: str, *, does: bool) -> None:
    assert fits_path(pattern, path) is does


def test_a_pattern_with_many_stars_ends() -> None:
    assert not fits_path("/".join(["**", "a*a*a*a*a*b"] * 30), "/".join(["a" * 40] * 60))


@pytest.mark.parametrize(
    ("path", "root", "place"),
    [
        ("a/b", "/w", "a/b"),
        ("./a/../b", "/w", "b"),
        ("/w/a", "/w", "a"),
        ("/w", "/w", "."),
        ("../x", "/w", "/x"),
        ("a/../../x", "/w", "/x"),
        ("/wx/a", "/w", "/wx/a"),
        ("/w/../etc", "/w", "/etc"),
        ("//etc", "/w", "/etc"),
        ("a", None, "a"),
        ("../a", None, "/a"),
        ("/a", None, "/a"),
        ("/a", "/", "a"),
    ],
)
def test_a_path_is_inside_the_workspace_or_absolute(path: str, root: str | None, place: str) -> None:
    assert place_of(path, root) == place

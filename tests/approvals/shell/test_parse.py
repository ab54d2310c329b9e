"""What a shell command would run, in all the ways a shell can be told to run something."""

import pytest

from chatd.approvals.shell.parse import parse_command


def programs(text: str) -> list[str]:
    script = parse_command(text)
    assert script.unsure is None, f"{text}: {script.unsure}"
    return [" ".join(word.text for word in program.words) for program in script.programs]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []),
        ("# only a comment", []),
        ("git commit -m 'a; rm x'", ["git commit -m a; rm x"]),
        ("git status; rm -rf x", ["git status", "rm -rf x"]),
        ("a && b || c | d & e\nf", ["a", "b", "c", "d", "e", "f"]),
        ("a |& b", ["a", "b"]),
        ("a && # why\n b", ["a", "b"]),
        ("a\\\n b", ["a b"]),
        ("(a; b) && { c; d; }", ["a", "b", "c", "d"]),
        ("! a", ["a"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("for x in 1 2; do a $x; done", ["a $x"]),
        ("for x do a; done", ["a"]),
        ("for x in $(a); do b; done", ["a", "b"]),
        ("while a; do b; done; until c\ndo d\ndone", ["a", "b", "c", "d"]),
        ("case $x in a|b) c;; (*) d; esac", ["c", "d"]),
        ("f() { a; }; f x", ["a", "f x"]),
        ("f()\n(a)", ["a"]),
        ("echo $(a)", ["a", "echo $(a)"]),
        ("echo $(a $(b))", ["b", "a $(b)", "echo $(a $(b))"]),
        ('echo "x $(a "y $(b)")"', ["b", 'a "y $(b)"', 'echo "x $(a "y $(b)")"']),
        ("echo `a \\`b\\``", ["b", "a `b`", "echo `a \\`b\\``"]),
        ("echo ${x:-$(a)}", ["a", "echo ${x:-$(a)}"]),
        ("echo $((1 + 2))", ["echo $((1 + 2))"]),
        ("diff <(a) <(b)", ["a", "b", "diff <(a) <(b)"]),
        ("tee >(a)", ["a", "tee >(a)"]),
        ("X=1 Y=2 a b", ["X=1 Y=2 a b"]),
        ("X=$(a)", ["a", "X=$(a)"]),
        ("cat <<E\ntext $(a)\nE\nb", ["cat", "a", "b"]),
        ("cat <<'E'\ntext $(a)\nE\nb", ["cat", "b"]),
        ("cat <<-E && b\n\tx\n\tE\nc", ["cat", "b", "c"]),
        ("cat <<A <<B\na\nA\n`b`\nB", ["cat", "b"]),
        ("cat <<< $(a)", ["a", "cat"]),
        ("echo a#b", ["echo a#b"]),
        ("echo '$(a)' \\$\\(a\\)", ["echo $(a) $(a)"]),
        ("'r'm\\ -x \"y\"", ["rm -x y"]),
        ("[ -f x ] && a", ["[ -f x ]", "a"]),
    ],
)
def test_every_program_is_listed_with_its_words(text: str, runs: list[str]) -> None:
    assert programs(text) == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("sudo -u bob rm x", ["sudo -u bob", "rm x"]),
        ("env -i X=1 a b", ["env -i", "X=1 a b"]),
        ("env 'X=1' sh -c a", ["env", "X=1 sh -c a", "a"]),
        ("nohup nice -n 5 timeout -k 1 5 a", ["nohup", "nice -n 5", "timeout -k 1 5", "a"]),
        ("time -p a", ["time -p", "a"]),
        ("command a; command -v b", ["command", "a", "command -v b"]),
        ("exec a", ["exec", "a"]),
        ("sh -c 'a; b'", ["sh -c a; b", "a", "b"]),
        ("bash -ec \"a '$(b)'\"", []),
        ("sh run.sh x", ["sh run.sh x"]),
        ("ls | xargs -n 1 rm -f", ["ls", "xargs -n 1", "rm -f …"]),
        ("ls | xargs -I{} mv {} y", ["ls", "xargs -I{}", "mv {} y"]),
        ("find . -name '*.c' -exec rm {} \\; -exec a {} +", ["find", "rm {}", "a {}"]),
        ("trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]),
        ("busybox rm x", ["busybox", "rm x"]),
        ("/usr/bin/env rm x", ["/usr/bin/env", "rm x"]),
    ],
)
def test_what_a_wrapper_runs_is_listed_beside_it(text: str, runs: list[str]) -> None:
    script = parse_command(text)
    listed = [" ".join(word.text for word in program.words) for program in script.programs]

    assert all(line.startswith(run) for line, run in zip(listed, runs, strict=False))
    assert len(listed) >= len(runs)
    assert (script.unsure is None) == bool(runs)


def test_a_wrapper_that_gives_other_rights_or_is_not_of_the_system_is_more_than_a_wrapper() -> None:
    assert [parse_command(f"{text} a").programs[0].is_wrapper for text in ("env", "/usr/bin/env")] == [
        True
    ] * 2
    assert [
        parse_command(f"{text} a").programs[0].is_wrapper for text in ("sudo", "./env", "X=1 env", "bin/env")
    ] == [False] * 4


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("a > x 2>> y", ["write x", "write y"]),
        ("a < x", ["read x"]),
        ("a >| x <> y", ["write x", "write y"]),
        ("a > /dev/null 2>&1 <&-", []),
        ("a >& x", ["write x"]),
        ("{ a; } > x", ["write x"]),
        ("if a; then b; fi < x", ["read x"]),
        ("> x", ["write x"]),
        ("a > $x", ["write $x"]),
    ],
)
def test_files_that_the_shell_opens_are_reported(text: str, files: list[str]) -> None:
    script = parse_command(text)

    assert script.unsure is None
    assert [f"{'write' if r.writes else 'read'} {r.target.text}" for r in script.redirects] == files


def test_a_word_is_known_only_if_nothing_is_put_in_its_place() -> None:
    words = parse_command('a \'b c\' "d" e\\*f $g *.h ~ {i,j} {} k=~ "$l"').programs[0].words

    assert [word.text for word in words if word.known] == ["a", "b c", "d", "e*f", "{}"]


def test_a_variable_set_before_a_command_is_told_from_a_quoted_word() -> None:
    assert [word.assigns for word in parse_command("X=1 a Y=2").programs[0].words] == [True, False, True]
    assert [word.assigns for word in parse_command("'X=1' a").programs[0].words] == [False, False]

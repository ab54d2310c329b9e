"""Patterns of rules: for names, for the words of a program, for paths and hosts (pure).

None of them takes longer than the length of the pattern times the length of the text.
"""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache
from posixpath import isabs, join, normpath

from chatd.approvals.shell.script import Word

ANY_FURTHER = "*"
ANY_FOLDERS = "**"
_SPECIAL = re.compile(r"([*?\[])")
_NOT_PLAIN = re.compile(r"[^\w/.,:=@%+-]")
# Those of the rules of a few users; making one anew takes as long as a hundred comparisons.
_PATTERNS_KEPT_MAX = 4096


def exactly(text: str) -> str:
    """A pattern that only this text fits."""
    return _SPECIAL.sub(r"[\1]", text)


def fits_name(pattern: str, name: str) -> bool:
    made = _made(pattern)
    return made == name if isinstance(made, str) else made.match(name) is not None


@lru_cache(maxsize=_PATTERNS_KEPT_MAX)
def _made(pattern: str) -> str | re.Pattern[str]:
    """Most patterns are just the text that fits them."""
    return re.compile(translate(pattern)) if _SPECIAL.search(pattern) else pattern


def fits_words(patterns: Sequence[str], words: Sequence[Word]) -> bool:
    """Each word its pattern. Words that are not known fit only a `*` at the end."""
    fixed = patterns[:-1] if patterns[-1] == ANY_FURTHER else patterns
    if len(words) < len(fixed) or (len(words) > len(fixed) and fixed is patterns):
        return False
    return all(w.known and fits_name(p, w.text) for p, w in zip(fixed, words, strict=False))


def may_fit_words(patterns: Sequence[str], words: Sequence[Word]) -> bool:
    """Whether they fit if a word that is not known turns out to be the right one, or several, or none."""
    at = next((index for index, word in enumerate(words) if not word.known), len(words))
    if at == len(words) or at > len(patterns):
        return fits_words(patterns, words)
    if not all(fits_name(p, w.text) for p, w in zip(patterns, words[:at], strict=False)):
        return False
    begins = _plain_beginning(words[at].text)
    wanted = _plain_beginning(patterns[at]) if at < len(patterns) else ""
    return begins.startswith(wanted) or wanted.startswith(begins)


def _plain_beginning(text: str) -> str:
    """Of a pattern, or of a word that is written with one or with a variable."""
    return _NOT_PLAIN.split(text, maxsplit=1)[0]


def fits_host(pattern: str, host: str, *, any_port: bool) -> bool:
    """A pattern without a port means the usual one, and with `any_port` all of them."""
    pattern = pattern.lower()
    if fits_name(pattern, host):
        return True
    name, colon, port = host.rpartition(":")
    return any_port and bool(colon) and port.isdigit() and fits_name(pattern, name)


def fits_path(pattern: str, path: str) -> bool:
    """Folder by folder: `*` stays within one, `**` is any number of them."""
    if isabs(pattern) != isabs(path):
        return False
    patterns, folders = pattern.strip("/").split("/"), path.strip("/").split("/")
    at = seen = 0
    star, resume = -1, 0
    while seen < len(folders):
        if at < len(patterns) and patterns[at] == ANY_FOLDERS:
            star, resume = at, seen
            at += 1
        elif at < len(patterns) and fits_name(patterns[at], folders[seen]):
            at += 1
            seen += 1
        elif star >= 0:
            # One more folder for the last `**`.
            resume += 1
            at, seen = star + 1, resume
        else:
            return False
    return all(rest == ANY_FOLDERS for rest in patterns[at:])


def place_of(path: str, root: str | None) -> str:
    """The path within the workspace, or an absolute one outside of it. Links are not followed here."""
    base = root or "/"
    whole = normpath(join(base, path))
    # Two slashes at the beginning are kept by normpath, and mean one.
    whole = "/" + whole.lstrip("/")
    if root is None:
        return whole if isabs(path) or normpath(path).startswith("..") else normpath(path)
    inside = whole == base or whole.startswith(base.rstrip("/") + "/")
    if not inside:
        return whole
    return whole[len(base.rstrip("/")) + 1 :] or "."

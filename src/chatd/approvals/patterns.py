"""Patterns of rules: for names, for the words of a program, for paths (pure).

None of them takes longer than the length of the pattern times the length of the text.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from posixpath import isabs, join, normpath, relpath

from chatd.approvals.shell.script import Word

ANY_FURTHER = "*"
ANY_FOLDERS = "**"
_SPECIAL = re.compile(r"([*?\[])")


def exactly(text: str) -> str:
    """A pattern that only this text fits."""
    return _SPECIAL.sub(r"[\1]", text)


def fits_name(pattern: str, name: str) -> bool:
    return fnmatchcase(name, pattern)


def fits_words(patterns: Sequence[str], words: Sequence[Word]) -> bool:
    """Each word its pattern. Words that are not known fit only a `*` at the end."""
    fixed = patterns[:-1] if patterns[-1] == ANY_FURTHER else patterns
    if len(words) < len(fixed) or (len(words) > len(fixed) and fixed is patterns):
        return False
    return all(w.known and fnmatchcase(w.text, p) for p, w in zip(fixed, words, strict=False))


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
        elif at < len(patterns) and fnmatchcase(folders[seen], patterns[at]):
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
    return relpath(whole, base) if inside else whole

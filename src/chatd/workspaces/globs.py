"""Glob patterns over paths with slashes (pure). Matching takes linear time, whatever the pattern."""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

ALTERNATIVES_MAX = 64
PATTERN_CHARACTERS_MAX = 1000


class BadGlob(ValueError):
    """Says what is wrong with the pattern."""


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path matches. A pattern without a slash is compared with the last name of the path."""
    if not pattern or len(pattern) > PATTERN_CHARACTERS_MAX:
        raise BadGlob(f"A pattern has 1 to {PATTERN_CHARACTERS_MAX} characters.")
    checks = [_check(each) for each in _alternatives(pattern)]
    return lambda path: any(check(path) for check in checks)


def last_name(pattern: str) -> str | None:
    """A pattern that the last name of every match has; None when there is no such thing to say."""
    last = pattern.rpartition("/")[2]
    if not last or last == "**" or "/" in "".join(re.findall(r"\{.*\}", pattern, re.DOTALL)):
        return None
    return last


def _check(pattern: str) -> Callable[[str], bool]:
    cleaned = pattern.removeprefix("./").lstrip("/")
    if cleaned.endswith("/"):
        cleaned += "**"
    if cleaned == "**":
        return lambda _: True
    if "/" not in cleaned:
        one = re.compile(translate(cleaned)).match
        return lambda path: one(path.rpartition("/")[2]) is not None
    segments = [None if part == "**" else re.compile(translate(part)).match for part in cleaned.split("/")]
    return lambda path: _matches(segments, path.split("/"))


def _matches(segments: Sequence[Callable[[str], object] | None], names: list[str]) -> bool:
    """As for `*` in a text: after a mismatch, the last `**` takes one more name and all else begins anew."""
    at = name = 0
    retry: tuple[int, int] | None = None
    while name < len(names):
        segment = segments[at] if at < len(segments) else None
        if at < len(segments) and segment is None:
            retry = (at, name)
            at += 1
        elif segment is not None and segment(names[name]):
            at, name = at + 1, name + 1
        elif retry is not None:
            retry = (retry[0], retry[1] + 1)
            at, name = retry[0] + 1, retry[1]
        else:
            return False
    # A file is no directory: `a/**` has everything below `a`, and not `a` itself.
    return all(segment is None for segment in segments[at:]) and (at == len(segments) or at == 0)


def _alternatives(pattern: str) -> list[str]:
    """`{a,b}` written out, from the inside out."""
    done: list[str] = []
    ahead = [pattern]
    while ahead:
        if len(done) + len(ahead) > ALTERNATIVES_MAX:
            raise BadGlob(f"A pattern has at most {ALTERNATIVES_MAX} alternatives in braces.")
        each = ahead.pop()
        inner = re.search(r"\{([^{}]*,[^{}]*)\}", each)
        if inner is None:
            done.append(each)
        else:
            ahead += [each[: inner.start()] + choice + each[inner.end() :] for choice in inner[1].split(",")]
    return done

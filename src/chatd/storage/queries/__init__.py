"""Named queries, read once from the *.sql files in the folders beside this file.

A query begins with `-- its_name --` and is the same on both databases, but for three
mechanical differences that are made here. Where a query cannot be the same it has a twin,
`-- its_name (sqlite) --` beside `-- its_name (postgres) --`. A `(fragment)` is not a query: its
text stands in for `{its_name}` in others. A line `-- Sent with: another` says that PostgreSQL may be sent
the other statement, if it comes right before, and this one in one go: neither depends on the other's rows.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path


class SqlEngine(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"


_HEADER = re.compile(r"^-- (?P<name>\w+)(?: \((?P<only>\w+)\))? --$", re.MULTILINE)


_SENT_WITH = re.compile(r"^-- Sent with: (\w+)$", re.MULTILINE)


def sent_together() -> Mapping[str, str]:
    """By the name of a statement, the one before it with which it is sent."""
    return {name: found[1] for name, _, sql in _all_entries() if (found := _SENT_WITH.search(sql))}


@cache
def queries_for(engine: SqlEngine) -> Mapping[str, str]:
    """Every query in this database's words."""
    found = list(_all_entries())
    fragments: dict[str, str] = {}
    for name, only, sql in found:
        if only == "fragment":
            # A fragment may use the fragments above it.
            fragments[name] = _filled(sql, fragments)
    return {
        name: _in_words_of(engine, _filled(sql, fragments))
        for name, only, sql in found
        if only in (None, engine.value)
    }


def _all_entries() -> Iterator[tuple[str, str | None, str]]:
    for path in sorted(Path(__file__).parent.rglob("*.sql")):
        yield from _entries(path)


def _entries(path: Path) -> Iterator[tuple[str, str | None, str]]:
    text = path.read_text(encoding="utf-8")
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        yield header["name"], header["only"], text[header.end() : end].strip().removesuffix(";")


def _filled(sql: str, fragments: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: fragments[match[1]], sql)


def _in_words_of(engine: SqlEngine, sql: str) -> str:
    if engine is SqlEngine.POSTGRES:
        return sql
    # BEGIN IMMEDIATE holds the one lock there is; arguments are written ?1; NULLs sort first unless told.
    sql = re.sub(r"\s+FOR (?:UPDATE|KEY SHARE)(?: OF \w+)?\b", "", sql)
    return re.sub(r"\$(\d+)", r"?\1", sql)

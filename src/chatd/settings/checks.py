"""What is wrong with a setting, in words that say where it was found."""

import difflib
from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from chatd.domain.approvals.rule import RULE_BYTES_MAX, Rule
from chatd.errors import Misconfigured
from chatd.kit.networks import network_in
from chatd.settings.source import Source, as_path
from chatd.settings.values import (
    FIELDS,
    FILE_ONLY,
    LISTS,
    RULES_DECLARED_MAX,
    SECRETS,
    SECTIONS,
    TABLES,
    said,
)

# Settings that are networks.
NETWORKS = frozenset({"trusted_proxies"})


def checked(source: Source, key: str, value: object) -> object:
    field = FIELDS.get(key)
    if field is None or (key in FILE_ONLY and not source.typed):
        raise Misconfigured(_unknown(source, key))
    if key in TABLES:
        return _tables(source, key, value)
    if key in SECTIONS:
        return _section(source, key, value)
    if key in LISTS and not source.typed:
        value = [each for each in str(value).split(LISTS[key]) if each]
    try:
        found = msgspec.convert(value, field.type, strict=source.typed, dec_hook=as_path)
    except msgspec.ValidationError as error:
        shown = "set" if key in SECRETS else repr(value)
        raise Misconfigured(
            f"`{source.spell(key)}` in {source.found_in} is {shown}; it must be {said(field, 'expected')}."
        ) from error
    if key in NETWORKS:
        try:
            list(map(network_in, found))
        except ValueError as error:
            raise Misconfigured(f"`{source.spell(key)}` in {source.found_in} is wrong: {error}.") from error
    return found


def _tables(source: Source, key: str, value: object) -> tuple[Struct, ...]:
    """Every `[[key]]` table. What is wrong is told with its number and its field, and without its content."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise Misconfigured(f"`{key}` in {source.found_in} must be written as [[{key}]] tables.")
    if key == "rules" and len(value) > RULES_DECLARED_MAX:
        raise Misconfigured(
            f"There are {len(value)} [[rules]] in {source.found_in}; there may be {RULES_DECLARED_MAX}."
        )
    return tuple(_table(source, key, number, table) for number, table in enumerate(value, 1))


def _section(source: Source, key: str, value: object) -> Struct:
    """The `[key]` table."""
    if not isinstance(value, dict):
        raise Misconfigured(f"`{key}` in {source.found_in} must be written as a [{key}] table.")
    return _made(f"[{key}] in {source.found_in}", value, SECTIONS[key])


def _table(source: Source, key: str, number: int, table: Mapping[str, object]) -> Struct:
    return _made(f"[[{key}]] number {number} in {source.found_in}", table, TABLES[key])


def _made(where: str, table: Mapping[str, object], type_: type[Struct]) -> Struct:
    known = [field.encode_name for field in fields(type_)]
    for name in table:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"Did you mean `{near[0]}`?" if near else f"It may have {', '.join(known)}."
            raise Misconfigured(f"{where} has no setting `{name}`. {advice}")
    try:
        made: Struct = msgspec.convert(table, type_)
    except msgspec.ValidationError as error:
        raise Misconfigured(f"{where} is wrong: {error}.") from error
    if isinstance(made, Rule) and made.is_too_long:
        raise Misconfigured(f"{where} is too long: a rule may have {RULE_BYTES_MAX} bytes as JSON.")
    return made


def _unknown(source: Source, key: str) -> str:
    spelled = [name for name in FIELDS if source.typed or name not in FILE_ONLY]
    near = difflib.get_close_matches(key, spelled, n=1)
    known = ", ".join(f"`{source.spell(name)}`" for name in spelled)
    advice = f"Did you mean `{source.spell(near[0])}`?" if near else f"There are {known}."
    return f"There is no setting `{source.spell(key)}`, which {source.found_in} sets. {advice}"

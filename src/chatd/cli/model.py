"""chatd model: which models there are, adding one, and trying one out."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Model, Probe, Provider
from chatd.errors import Misconfigured, Unusable
from chatd.kit.codec import encode_text

WRONG = 1
# Nobody is asked for a key of these.
KEYLESS = frozenset({"ollama", "scripted"})
_MILLION = 1_000_000


class Wanted(Struct, frozen=True, kw_only=True):
    """A model to add, and its provider, if that is new."""

    provider: str
    model: str
    type_: str | None
    base_url: str | None
    key_env: str | None
    key_file: str | None
    no_key: bool
    context_limit: int | None
    is_default: bool


def ls(*, as_json: bool, **flags: object) -> None:
    models = run_loop(_list(client_from(flags)))
    if as_json:
        click.echo(encode_text({"models": models}))
        return
    for line in _table([_row(each) for each in models]):
        click.echo(line)


def add(*, as_json: bool, **given: object) -> None:
    wanted = msgspec.convert({name: given.pop(name) for name in Wanted.__struct_fields__}, Wanted)
    added = run_loop(_add(client_from(given), wanted))
    said = f"{added.name} is there. Try it: chatd model test {added.name}"
    click.echo(encode_text(added) if as_json else said)


def test(*, name: str | None, as_json: bool, **flags: object) -> None:
    probe = run_loop(_test(client_from(flags), name))
    if as_json:
        click.echo(encode_text(probe))
    else:
        took = f" ({probe.milliseconds} ms)" if probe.milliseconds else ""
        click.echo(f"{'ok   ' if probe.is_well else 'WRONG'}  {probe.model}  {probe.says}{took}")
    if not probe.is_well:
        sys.exit(WRONG)


async def _list(client: AsyncClient) -> tuple[Model, ...]:
    async with client:
        return await client.models()


async def _test(client: AsyncClient, name: str | None) -> Probe:
    async with client:
        models = await client.models()
        wanted = [each for each in models if (each.is_default if name is None else each.name == name)]
        if not wanted:
            names = ", ".join(each.name for each in models)
            raise Unusable(f"There is no model {name!r}. There are {names}.")
        return await client.test_model(wanted[0].id)


async def _add(client: AsyncClient, wanted: Wanted) -> Model:
    async with client:
        known = {each.name: each for each in await client.providers()}
        if (provider := known.get(wanted.provider)) is not None:
            return await _add_model(client, provider, wanted)
        provider = await _add_provider(client, wanted)
        try:
            return await _add_model(client, provider, wanted)
        except ApiError:
            # A provider without a model is of no use, and stands in the way of a second try.
            await client.delete_provider(provider.id)
            raise


async def _add_provider(client: AsyncClient, wanted: Wanted) -> Provider:
    type_ = wanted.type_ or wanted.provider
    key = None if wanted.no_key or type_ in KEYLESS else _key(wanted)
    return await client.add_provider(type_, wanted.provider, base_url=wanted.base_url, api_key=key)


async def _add_model(client: AsyncClient, provider: Provider, wanted: Wanted) -> Model:
    return await client.add_model(
        provider.id, wanted.model, context_limit=wanted.context_limit, is_default=wanted.is_default
    )


def _key(wanted: Wanted) -> str:
    if (variable := wanted.key_env) is not None:
        key = os.environ.get(variable, "").strip()
        if not key:
            raise Misconfigured(f"The environment variable {variable} is not set.")
        return key
    if (file := wanted.key_file) is not None:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Misconfigured(f"Cannot read the key in {file}: {error}.") from error
    if not sys.stdin.isatty():
        raise Misconfigured("Say where the key is: --key-env VARIABLE, --key-file FILE, or --no-key.")
    return str(click.prompt(f"Key of {wanted.provider} (it is not shown)", hide_input=True)).strip()


def _row(model: Model) -> tuple[str, ...]:
    marks = {
        "default": model.is_default,
        "off": not model.enabled,
        model.unavailable_reason or "": model.enabled and not model.available,
        "declared": model.declared,
    }
    return (
        model.name,
        f"{model.context_limit:,}",
        _prices(model),
        ", ".join(word for word, holds in marks.items() if holds),
    )


def _prices(model: Model) -> str:
    """For a million tokens, in and out."""
    if model.prices is None:
        return "-"
    return " / ".join(f"{model.prices.get(side, 0) / _MILLION:g}" for side in ("input", "output"))


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    header = ("MODEL", "CONTEXT", "PRICE IN / OUT", "")
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]

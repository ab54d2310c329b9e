"""chatd model: which models there are, adding, removing and trying them out."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from chatd.cli.catalog.choices import choices
from chatd.cli.context import run_loop
from chatd.cli.flags.models import TYPES
from chatd.cli.flags.options import EFFORTS
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.remote import client_from
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Model, Probe, Provider, Unreadable
from chatd.errors import Misconfigured, Unusable

WRONG = 1
# Why a model cannot be used, for people.
_REASONS = {
    "missing_api_key": "no key",
    "user_api_key_required": "needs your own key",
    "address_refused": "address refused",
}
# The user is not asked for a key of these.
KEYLESS = frozenset({"ollama", "scripted"})
KEY_OPTIONAL = KEYLESS | {"openai-compatible"}
_MILLION = 1_000_000
# Chats are not summarized by themselves.
NEVER_PERCENT = 100


class Key(Struct, frozen=True):
    """Where a key is, if an option says so."""

    env: str | None
    file: str | None
    none: bool

    @property
    def is_given(self) -> bool:
        return self.env is not None or self.file is not None or self.none


class Wanted(Struct, frozen=True, kw_only=True):
    """A model to add, and its provider, if that is new."""

    provider: str
    model: str
    type_: str | None
    base_url: str | None
    allow_plain_http: bool
    key: Key
    context_limit: int | None
    effort: str | None
    is_default: bool

    @property
    def is_about_the_provider(self) -> bool:
        return (
            self.type_ is not None or self.base_url is not None or self.allow_plain_http or self.key.is_given
        )


def ls(*, as_json: bool, **flags: object) -> None:
    models, unreadable = run_loop(_list(client_from(flags)))
    if as_json:
        say_json({"models": models, "unreadable": unreadable})
        return
    for line in table(("MODEL", "CONTEXT", "PER MILLION IN / OUT", ""), [_row(each) for each in models]):
        say(line)
    for each in unreadable:
        say_aside(f"{each.name} cannot be used. {each.reason}")


def add(*, as_json: bool, **given: object) -> None:
    given["key"] = _key_of(given)
    wanted = msgspec.convert({name: given.pop(name) for name in Wanted.__struct_fields__}, Wanted)
    added, provider = run_loop(_add(client_from(given), wanted))
    said = f"{added.name} is there. Try it: chatd model test {added.name}"
    if not added.available:
        said = f"{added.name} is there, and cannot be used yet: {_reason(added)}."
    if as_json:
        say_json(added)
    else:
        say(said)
    if wanted.base_url is not None and provider.base_url != wanted.base_url:
        say_aside(f"It is called at {provider.base_url}")
    if wanted.effort is not None and not added.reasoning_efforts:
        say_aside(f"{added.name} cannot be told how hard to think: --effort has no effect.")


def test(*, name: str | None, as_json: bool, **flags: object) -> None:
    probe = run_loop(_test(client_from(flags), name))
    if as_json:
        say_json(probe)
    else:
        took = f" ({probe.milliseconds} ms)" if probe.milliseconds else ""
        say(f"{'ok   ' if probe.is_well else 'WRONG'}  {probe.model}  {probe.says}{took}")
    if not probe.is_well:
        sys.exit(WRONG)


def rm(*, name: str, **flags: object) -> None:
    say(run_loop(_remove(client_from(flags), name)))


def key(*, provider: str, **given: object) -> None:
    where = _key_of(given)
    run_loop(_give_key(client_from(given), provider, where))
    say(f"{provider} has no key now." if where.none else f"{provider} uses the new key from now on.")


def threshold(*, name: str, percent: int | None, clear: bool, as_json: bool, **flags: object) -> None:
    if percent is not None and clear:
        raise Misconfigured("Give a PERCENT or --clear, not both.")
    model, own = run_loop(_threshold(client_from(flags), name, percent, clear=clear))
    counts = model.compression_threshold if own is None else own
    if as_json:
        say_json({"model": model.name, "threshold_percent": counts, "own": own is not None})
        return
    whose = "as it is set up" if own is None else "as you want it"
    when = "never by themselves" if counts == NEVER_PERCENT else f"from {counts} % of its context on"
    say(f"Your chats with {model.name} are summarized {when}, {whose}.")


async def _threshold(
    client: AsyncClient, name: str, percent: int | None, *, clear: bool
) -> tuple[Model, int | None]:
    """The model, and the user's own threshold for it."""
    async with client:
        models = await client.models()
        model = _called(models, name)
        if model is None:
            raise Unusable(f"There is no model {name!r}. {choices(models)}")
        if percent is not None or clear:
            settings = await client.change_own_settings(compaction_thresholds={model.name: percent})
        else:
            settings = await client.own_settings()
        return model, settings.compaction_thresholds.get(model.name)


async def _list(client: AsyncClient) -> tuple[tuple[Model, ...], tuple[Unreadable, ...]]:
    async with client:
        return await client.models(), await client.unreadable_models()


async def _test(client: AsyncClient, name: str | None) -> Probe:
    async with client:
        models = await client.models()
        wanted = _called(models, name)
        if wanted is None:
            for each in await client.unreadable_models():
                if each.name == name:
                    raise Unusable(f"{name} cannot be used. {each.reason}")
            asked = f"There is no model {name!r}." if name is not None else "No model is the default."
            raise Unusable(f"{asked} {choices(models)}")
        return await client.test_model(wanted.id)


def _called(models: Sequence[Model], name: str | None) -> Model | None:
    """As chats find it: the default one, the one of this name, or the only one that calls itself so."""
    if name is None:
        return next((each for each in models if each.is_default), None)
    alone = [each for each in models if each.model == name]
    named = next((each for each in models if each.name == name), None)
    return named or (alone[0] if len(alone) == 1 else None)


async def _add(client: AsyncClient, wanted: Wanted) -> tuple[Model, Provider]:
    async with client:
        known = {each.name: each for each in await client.providers()}
        if (provider := known.get(wanted.provider)) is not None:
            if wanted.is_about_the_provider:
                raise Misconfigured(
                    f"The provider {provider.name} is there already, so its type, address and key are known. "
                    f"`chatd model key {provider.name}` gives it another key; for the rest remove it first, "
                    f"with `chatd model rm {provider.name}`, or choose another name."
                )
            return await _add_model(client, provider, wanted), provider
        provider = await _add_provider(client, wanted)
        try:
            return await _add_model(client, provider, wanted), provider
        except ApiError:
            # A provider without a model is of no use, and stands in the way of a second try.
            await client.delete_provider(provider.id)
            raise


async def _add_provider(client: AsyncClient, wanted: Wanted) -> Provider:
    type_ = wanted.type_ or wanted.provider
    if type_ not in TYPES:
        raise Misconfigured(
            f"There is no provider {type_} yet. Say what kind it is with --type: {', '.join(TYPES)}. "
            "Most servers that are not in this list are openai-compatible, with --base-url."
        )
    key = None if type_ in KEYLESS and not wanted.key.is_given else _read(wanted.key, wanted.provider)
    said = {
        "allow_plain_http": wanted.allow_plain_http,
        # Of a server of one's own, which would need one elsewhere.
        "no_key": wanted.key.none and wanted.base_url is not None and type_ not in KEY_OPTIONAL,
    }
    settings = {name: True for name, holds in said.items() if holds}
    return await client.add_provider(
        type_, wanted.provider, base_url=wanted.base_url, api_key=key, settings=settings
    )


async def _add_model(client: AsyncClient, provider: Provider, wanted: Wanted) -> Model:
    # A message may ask for more than what is usual, up to what the model knows.
    efforts = {"max": EFFORTS[-1]} | ({"default": wanted.effort} if wanted.effort else {})
    return await client.add_model(
        provider.id,
        wanted.model,
        context_limit=wanted.context_limit,
        is_default=wanted.is_default,
        options={"reasoning_effort": efforts},
    )


async def _remove(client: AsyncClient, name: str) -> str:
    async with client:
        models: list[Model | Unreadable] = [*await client.models(), *await client.unreadable_models()]
        providers: list[Provider | Unreadable] = [*await client.providers()]
        providers += await client.unreadable_providers()
        for model in models:
            if model.name == name:
                await client.delete_model(model.id)
                return f"{name} is gone. Chats that used it go on with the default."
        for provider in providers:
            if provider.name == name:
                await client.delete_provider(provider.id)
                return (
                    f"The provider {name} is gone, with its key and its models. Chats need another model now."
                )
    raise Unusable(f"There is no model and no provider {name!r}. `chatd model ls` lists what there is.")


async def _give_key(client: AsyncClient, name: str, key: Key) -> None:
    async with client:
        providers = await client.providers()
        found = [provider for provider in providers if provider.name == name]
        if not found:
            names = ", ".join(provider.name for provider in providers)
            raise Unusable(f"There is no provider {name!r}. There are {names}.")
        await client.change_provider(found[0].id, api_key=_read(key, name))


def _key_of(given: dict[str, object]) -> Key:
    return msgspec.convert(
        {"env": given.pop("key_env"), "file": given.pop("key_file"), "none": given.pop("no_key")}, Key
    )


def _read(where: Key, provider: str) -> str | None:
    if where.none:
        return None
    if (variable := where.env) is not None:
        key = os.environ.get(variable, "").strip()
        if not key:
            raise Misconfigured(f"The environment variable {variable} is not set.")
        return key
    if (file := where.file) is not None:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise Misconfigured(f"Cannot read the key in {file}: {reason}.") from error
    if not sys.stdin.isatty():
        raise Misconfigured("Say where the key is: --key-env VARIABLE, --key-file FILE, or --no-key.")
    return str(click.prompt(f"Key of {provider} (it is not shown)", hide_input=True)).strip()


def _row(model: Model) -> tuple[str, ...]:
    marks = {
        "default": model.is_default,
        "off": not model.enabled,
        _reason(model): model.enabled and not model.available,
        "declared": model.declared,
    }
    return (
        model.name,
        f"{model.context_limit:,}",
        _prices(model),
        ", ".join(word for word, holds in marks.items() if holds),
    )


def _reason(model: Model) -> str:
    reason = model.unavailable_reason or ""
    return _REASONS.get(reason, reason.replace("_", " "))


def _prices(model: Model) -> str:
    """For a million tokens, in and out."""
    if model.prices is None:
        return "-"
    return " / ".join(f"{model.prices.get(side, 0) / _MILLION:g}" for side in ("input", "output"))

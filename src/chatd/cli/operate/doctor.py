"""chatd doctor: look at everything that has to be right, and say what to do about what is not."""

import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chatd.app.confinement import confinement_of, database_files, places_of
from chatd.catalog.keys.secrets import KEY_FILE
from chatd.catalog.models.declared import ProviderDeclaration, declared_provider, notice_of
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_aside, say_json
from chatd.cli.remote import token_from, url_from
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Model, Provider, Workspace
from chatd.domain.ids import ChatId
from chatd.errors import ChatdError, Misconfigured, Unavailable
from chatd.kit.clock import SystemClock
from chatd.kit.text import one_line
from chatd.settings import Settings
from chatd.storage.data_dir.token_file import TOKEN_FILE
from chatd.storage.health.integrity import CHECK_SECONDS, Integrity, check_postgres, check_sqlite
from chatd.storage.health.unreadable import unreadable_chats
from chatd.storage.migrate import check_schema
from chatd.storage.open import open_existing, sqlite_path
from chatd.storage.tables.replicas import LiveReplica, live_replicas
from chatd.workspaces.local.sandbox.confine import find_enclosure
from chatd.workspaces.protection import Level, offer_in_words

WRONG = 1
# Chats that are named in one line.
NAMED_MAX = 10
# Only the owner may read the data directory.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Finding(Struct, frozen=True, kw_only=True):
    what: str
    is_well: bool
    says: str


def run(flags: Mapping[str, object], *, providers: bool, as_json: bool) -> None:
    findings = run_loop(_examine(flags, providers=providers))
    if as_json:
        say_json({"findings": findings})
    else:
        for finding in findings:
            say(f"{'ok   ' if finding.is_well else 'WRONG'}  {finding.what:<14}  {finding.says}")
    if not all(finding.is_well for finding in findings):
        sys.exit(WRONG)


async def _examine(flags: Mapping[str, object], *, providers: bool) -> list[Finding]:
    try:
        settings = settings_from({name: flags.get(name) for name in ("config", "data_dir", "database_url")})
    except Misconfigured as error:
        # Without them nothing else can be found.
        return [_wrong("settings", str(error))]
    findings = [
        _well("settings", "They can be read."),
        *_declared(settings.providers),
        _data_dir(settings.data_dir),
        *[finding async for finding in _database(settings)],
    ]
    found = [finding async for finding in _server(flags, settings)]
    if providers and all(finding.is_well for finding in found):
        found += await _providers(flags, settings)
    return [*findings, *found]


def _declared(declarations: Sequence[ProviderDeclaration]) -> Iterator[Finding]:
    """What the server says when it starts, and then goes on without."""
    for each in declarations:
        try:
            notice = notice_of(declared_provider(each))
        except Misconfigured as error:
            notice = str(error)
        if notice is not None:
            yield _wrong("providers", notice)


def _data_dir(path: Path) -> Finding:
    what = "data directory"
    if not path.is_dir():
        return _wrong(
            what, f"There is none at {path}. `chatd serve` makes it; or choose one with --data-dir."
        )
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        return _wrong(what, f"This user cannot read and write in {path}. Change its owner or its mode.")
    for each in (path, path / TOKEN_FILE, path / KEY_FILE):
        if each.exists() and each.stat().st_mode & OTHERS:
            return _wrong(what, f"Others can look into {each}. Run `chmod go= {each}`.")
    return _well(what, f"{path} is private and can be written.")


async def _database(settings: Settings) -> AsyncIterator[Finding]:
    path = None
    try:
        path = sqlite_path(settings.database)
        async with open_existing(settings.database, SystemClock()) as db:
            await check_schema(db)
            integrity = await (check_postgres(db) if path is None else check_sqlite(path, _still_checking))
            unreadable = await unreadable_chats(db)
            servers = await live_replicas(db)
    except (ChatdError, Unavailable) as error:
        yield _wrong("database", str(error))
        return
    where = f"SQLite at {path}" if path is not None else "PostgreSQL"
    yield _well("database", f"{where} answers, and its schema is up to date.")
    yield _integrity(integrity)
    if unreadable:
        yield _wrong("chats", _left_out(unreadable))
    if path is None:
        yield _fleet(servers)
        yield await _hints(settings)


def _fleet(servers: Sequence[LiveReplica]) -> Finding:
    """Those that have given a sign of life within the last seconds. Two versions are usual in an upgrade."""
    if not servers:
        return _wrong("servers", "None runs on this database. Start one with `chatd serve`.")
    if not any(each.replica.worker_id for each in servers):
        return _wrong(
            "servers",
            "None of those that run drives chats. Start `chatd worker`, or one without --no-worker.",
        )
    if not any(each.replica.address for each in servers):
        return _wrong("servers", "Only workers run, which answer no requests. Start one with `chatd serve`.")
    return _well("servers", "; ".join(map(_server_in_words, servers)))


async def _hints(settings: Settings) -> Finding:
    """A pooler may take LISTEN and deliver nothing."""
    from chatd.hints.postgres import DEAF, delivers  # noqa: PLC0415 - its driver takes three megabytes

    try:
        works = await delivers(settings.database_listen_url or settings.database)
    except ChatdError as error:
        return _wrong("hints", str(error))
    return (
        _well("hints", "Servers can tell one another what has changed.") if works else _wrong("hints", DEAF)
    )


def _server_in_words(server: LiveReplica) -> str:
    replica = server.replica
    drives = f"drives {server.chats} chats" if replica.worker_id else "drives no chats"
    return f"{replica.host} {replica.address or 'without an address'} ({replica.version}) {drives}"


def _left_out(unreadable: Sequence[ChatId]) -> str:
    named = ", ".join(unreadable[:NAMED_MAX])
    more = f" and {len(unreadable) - NAMED_MAX} more" if len(unreadable) > NAMED_MAX else ""
    return (
        f"Something that is stored of {named}{more} cannot be read, so no worker drives them. "
        "The server's log says what it is (chat.left_out). Restore these chats from a backup, or delete them."
    )


def _integrity(found: Integrity) -> Finding:
    if found.problems:
        problems = "; ".join(one_line(problem) for problem in found.problems)
        return _wrong(
            "integrity", f"It is damaged: {problems}. Stop the server, keep a copy, and restore a backup."
        )
    if not found.is_finished:
        return _well("integrity", f"No damage was found in {CHECK_SECONDS:.0f} s; it is too large for more.")
    return _well("integrity", "Every page and every reference is where it should be.")


def _still_checking() -> None:
    """A large database takes a while; people at a terminal are told that something happens."""
    if sys.stderr.isatty():
        say_aside(f"Checking the database, for at most {CHECK_SECONDS:.0f} s ...")


async def _server(flags: Mapping[str, object], settings: Settings) -> AsyncIterator[Finding]:
    try:
        url = url_from(flags, settings)
    except Misconfigured as error:
        yield _wrong("server", str(error))
        return
    try:
        async with AsyncClient(url, "") as client:
            await client.alive()
            await client.ready()
    except ChatdError as error:
        answered = isinstance(error, ApiError)
        advice = "Its log says why." if answered else "Is `chatd serve` running? Name another one with --url."
        yield _wrong("server", f"{error} {advice}")
        if flags.get("url") is None and not answered:
            yield await _workspace_here(settings)
        return
    yield _well("server", f"{url} answers and is ready.")
    for finding in await _as_user(flags, settings, url):
        yield finding


async def _as_user(flags: Mapping[str, object], settings: Settings, url: str) -> Sequence[Finding]:
    try:
        async with AsyncClient(url, token_from(flags, settings, url)) as client:
            workspace = await client.workspace()
    except ChatdError as error:
        return [_wrong("token", str(error))]
    return [_well("token", "It is accepted."), _workspace(workspace)]


async def _workspace_here(settings: Settings) -> Finding:
    """What a server with these settings would offer on this machine: there is none to be asked."""
    private = database_files(settings)
    try:
        places = places_of(settings, private)
        protection = (await find_enclosure(confinement_of(settings, private))).protection
    except Misconfigured as error:
        return _wrong("workspace", str(error))
    offered = offer_in_words(places.root, protection) or f"{NO_WORKSPACE} {protection.in_words()}"
    is_well = places.root is None or protection.level is not Level.CLOSED
    return Finding(what="workspace", is_well=is_well, says=" ".join(filter(None, (offered, protection.why))))


NO_WORKSPACE = "Without --workspace agents have none. With one:"
NOT_KEPT = "What agents do to files cannot be undone: git is not installed on the server."


def _workspace(found: Workspace) -> Finding:
    """That there is no sandbox may be meant so; that no command runs is not what a workspace is for."""
    is_well = found.root is None or (found.usable and found.level != "closed")
    without = NOT_KEPT if found.usable and not found.keeps_files else ""
    says = " ".join(words for words in (found.says, found.why, without) if words)
    return Finding(what="workspace", is_well=is_well, says=says)


async def _providers(flags: Mapping[str, object], settings: Settings) -> list[Finding]:
    """One tiny call to each provider that is switched on."""
    url = url_from(flags, settings)
    try:
        async with AsyncClient(url, token_from(flags, settings, url)) as client:
            providers = [each for each in await client.providers() if each.enabled]
            models = await client.models()
            return [await _provider(client, each, models) for each in providers]
    except ChatdError as error:
        return [_wrong("providers", str(error))]


async def _provider(client: AsyncClient, provider: Provider, models: Sequence[Model]) -> Finding:
    own = [each for each in models if each.provider_id == provider.id and each.enabled]
    usable = [each for each in own if each.available]
    if not own:
        return _wrong(
            provider.name, f"It has no model. Add one with `chatd model add {provider.name} MODEL`."
        )
    if not usable and own[0].unavailable_reason == "address_refused":
        return _wrong(
            provider.name,
            f"It cannot be called at {provider.base_url}, most likely because that is not in a private "
            "network and has no TLS. The server's log says more.",
        )
    if not usable:
        where = "where it is declared" if provider.declared else f"with `chatd model key {provider.name}`"
        return _wrong(provider.name, f"It has no key. Give it one {where}.")
    probe = await client.test_model(usable[0].id)
    return Finding(what=provider.name, is_well=probe.is_well, says=f"{usable[0].name}: {probe.says}")


def _well(what: str, says: str) -> Finding:
    return Finding(what=what, is_well=True, says=says)


def _wrong(what: str, says: str) -> Finding:
    return Finding(what=what, is_well=False, says=says)

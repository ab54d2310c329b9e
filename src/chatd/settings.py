"""Settings: one frozen struct, read once, passed down as plain values.

A flag wins over an environment variable, which wins over `chatd.toml`, which wins over the
default. An unknown key is refused: the operator expects it to have an effect.

A `chatd.toml` counts where only the user can have put it. The current directory may be a repository that
others wrote, so the one in there has to be named.
"""

import difflib
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import FieldInfo, fields

from chatd.catalog.declared import ModelDeclaration, ProviderDeclaration
from chatd.catalog.mcp.declared import McpServerDeclaration
from chatd.domain.approvals.rule import RULE_BYTES_MAX, Rule
from chatd.errors import Misconfigured
from chatd.kit.kubernetes import is_service_variable
from chatd.workspaces.local.sandbox.confine import SandboxMode

PREFIX = "CHATD_"
# Names the settings file, so it cannot be in it.
CONFIG_VARIABLE = "CHATD_CONFIG"
CONFIG_FILE = "chatd.toml"
# How the command line finds a server. They are no settings of one.
CLIENT_VARIABLES = frozenset({"CHATD_URL", "CHATD_TOKEN"})
# For our tests, which may run a server with their own environment.
TEST_PREFIX = "CHATD_TEST_"

# What `chatd serve` also takes as a flag.
FLAGS = frozenset({"host", "port", "data_dir", "database_url", "workspace", "worker"})

# Lists, and what separates their elements in the environment: as in PATH, unless they may have colons.
LISTS: Mapping[str, str] = {
    "sandbox_readable": os.pathsep,
    "sandbox_writable": os.pathsep,
    "command_variables": os.pathsep,
    "fetch_private_hosts": ",",
    "allowed_hosts": ",",
}
PATHS_MAX = 100
HOSTS_MAX = 100

# Never shown, not even when they are wrong.
SECRETS = frozenset({"admin_token", "database_url", "secret_key", "providers", "mcp_servers"})

# Tables, each of which may come several times: only a file can hold them.
TABLES: Mapping[str, type[Struct]] = {
    "providers": ProviderDeclaration,
    "models": ModelDeclaration,
    "mcp_servers": McpServerDeclaration,
    "rules": Rule,
}

# Rules of the deployment: all of them are tried on what a call would do.
RULES_DECLARED_MAX = 500


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Approvals(StrEnum):
    ASK = "ask"
    NEVER = "never"


class LogFormat(StrEnum):
    AUTO = "auto"
    PRETTY = "pretty"
    JSON = "json"


class Settings(Struct, frozen=True, kw_only=True):
    """`description` says what a setting is, `expected` what it may be, `default` what a default means."""

    host: Annotated[
        str,
        Meta(min_length=1, description="The address to listen on.", extra={"expected": "an address"}),
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(
            ge=0,
            le=65535,
            description="The port to listen on; 0 takes any free one.",
            extra={"expected": "a whole number from 0 to 65535"},
        ),
    ] = 8787
    data_dir: Annotated[
        Path,
        Meta(
            description="The directory for the database and the administrator's token.",
            extra={
                "expected": "a path",
                "default": "`$XDG_DATA_HOME/chatd`, or else `~/.local/share/chatd`",
            },
        ),
    ]
    database_url: Annotated[
        str | None,
        Meta(
            description="Where chats are kept: `sqlite:///path` or `postgresql://user:password@host/name`.",
            extra={"expected": "an address", "default": "`chatd.db` in the data directory"},
        ),
    ] = None
    admin_token: Annotated[
        str | None,
        Meta(
            description="The token of the user `admin`, at least 16 characters.",
            extra={"expected": "text", "default": "made at the first start, in `admin-token`"},
        ),
    ] = None
    secret_key: Annotated[
        str | None,
        Meta(
            description="What seals keys in the database: 32 bytes in base64. Servers that "
            "share a database need the same.",
            extra={"expected": "text", "default": "made at the first start, in `secret-key`"},
        ),
    ] = None
    worker: Annotated[
        bool,
        Meta(
            description="Whether this server drives chats, or only answers requests.",
            extra={"expected": "true or false"},
        ),
    ] = True
    concurrency: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="How many chats may work at once: a model speaks, or tools run.",
            extra={"expected": "a whole number from 1 to 10000"},
        ),
    ] = 64
    family_cost_cents_max: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000_000,
            description="What a chat and the chats that work for it may have cost before none is started or "
            "told to go on, in hundredths of the currency; 0 for any cost.",
            extra={"expected": "a whole number from 0 to 100000000"},
        ),
    ] = 0
    requests_per_minute: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="How many requests a user may make in a minute; 0 for any number. `/metrics`, "
            "`/healthz` and `/readyz` do not count.",
            extra={"expected": "a whole number from 0 to 1000000"},
        ),
    ] = 512
    uploads_per_minute: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="How many files a user may upload in a minute, and how many chats import; "
            "0 for any number.",
            extra={"expected": "a whole number from 0 to 1000000"},
        ),
    ] = 12
    workspace: Annotated[
        Path | None,
        Meta(
            description="The directory in which agents read, change and run things. A chat can also "
            "have a directory inside of it.",
            extra={"expected": "a path", "default": "none"},
        ),
    ] = None
    workspace_shared: Annotated[
        bool,
        Meta(
            description="Whether the workspace is for all users. Otherwise it is used only as long as there "
            "is one user: agents work there with the rights of the server.",
            extra={"expected": "true or false"},
        ),
    ] = False
    sandbox: Annotated[
        SandboxMode,
        Meta(
            description="Whether commands of agents run in a sandbox (bubblewrap). `require`: without one no "
            "command runs. `auto`: without one they run with the rights of the server, as long as there is "
            "one user, and that user is asked. `off`: always so.",
            extra={"expected": "one of " + ", ".join(SandboxMode)},
        ),
    ] = SandboxMode.AUTO
    sandbox_network: Annotated[
        bool,
        Meta(
            description="Whether commands in the sandbox can reach the network.",
            extra={"expected": "true or false"},
        ),
    ] = False
    sandbox_readable: Annotated[
        tuple[Path, ...],
        Meta(
            max_length=PATHS_MAX,
            description="What commands in the sandbox can read beside the workspace and the system: "
            "tools in a home directory, for example.",
            extra={"expected": "paths", "default": "none"},
        ),
    ] = ()
    sandbox_writable: Annotated[
        tuple[Path, ...],
        Meta(
            max_length=PATHS_MAX,
            description="What commands in the sandbox can change beside the workspace: a cache, for example.",
            extra={"expected": "paths", "default": "none"},
        ),
    ] = ()
    command_variables: Annotated[
        tuple[str, ...],
        Meta(
            max_length=PATHS_MAX,
            description="Variables of the server's environment that commands get too. Otherwise it is "
            "`PATH`, the language and the time zone; `CHATD_` variables never.",
            extra={"expected": "names of variables", "default": "none"},
        ),
    ] = ()
    command_memory_mib: Annotated[
        int,
        Meta(
            ge=64,
            le=16 * 1024 * 1024,
            description="How much memory a command may use, with all that it starts, in MiB. A command "
            "without a sandbox: each of its processes.",
            extra={"expected": "a whole number from 64 to 16777216"},
        ),
    ] = 16 * 1024
    command_processes: Annotated[
        int,
        Meta(
            ge=8,
            le=1_000_000,
            description="How many processes a command in the sandbox may have at once.",
            extra={"expected": "a whole number from 8 to 1000000"},
        ),
    ] = 1024
    command_cpu_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=30 * 86_400,
            description="How much CPU time each process of a command may use, in seconds.",
            extra={"expected": "a whole number from 1 to 2592000"},
        ),
    ] = 4 * 3600
    command_file_mib: Annotated[
        int,
        Meta(
            ge=1,
            le=16 * 1024 * 1024,
            description="How large a file may be that a command writes, in MiB.",
            extra={"expected": "a whole number from 1 to 16777216"},
        ),
    ] = 16 * 1024
    public_url: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$", max_length=2000)] | None,
        Meta(
            description="The address under which browsers reach this server, also with a path. Links to it "
            "are made with it, and users who sign in at MCP servers are sent back there.",
            extra={"expected": "an address", "default": "where it listens"},
        ),
    ] = None
    allowed_hosts: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^([a-z0-9._-]+|\[[0-9a-f:.]+\])$", max_length=260)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Names of hosts, without ports, that requests may be meant for: `example.org`. Those "
            "for others are refused, so that no page of others can have its name lead here.",
            extra={
                "expected": "names of hosts in lower case",
                "default": "the host of `public_url`; any, on other addresses than the loopback one",
            },
        ),
    ] = ()
    mcp_private_hosts: Annotated[
        bool,
        Meta(
            description="Whether users may add MCP servers on this machine and in its private networks, and "
            "servers may have them sign in there. Administrators may add such servers in any case.",
            extra={"expected": "true or false"},
        ),
    ] = False
    fetch_url: Annotated[
        bool,
        Meta(
            description="Whether agents have the tool `fetch_url`, which reads pages of the internet. A "
            "person is asked for each host, as the rules say.",
            extra={"expected": "true or false"},
        ),
    ] = True
    fetch_private_hosts: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9._\[\]:-]+$", max_length=260)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Hosts on this machine and in its private networks that `fetch_url` may ask all the "
            "same, each with its port unless it is the usual one: `wiki.example.internal`, `127.0.0.1:3000`.",
            extra={"expected": "names of hosts in lower case", "default": "none"},
        ),
    ] = ()
    approvals: Annotated[
        Approvals,
        Meta(
            description="Whether people are asked before agents run commands or change files, as the rules "
            "say. `never`: what they would be asked for just runs, and only rules that deny count.",
            extra={"expected": "one of " + ", ".join(Approvals)},
        ),
    ] = Approvals.ASK
    rehearsal_log: Annotated[
        Path | None,
        Meta(
            description="A file to which the tools of the scripted model write what they did.",
            extra={"expected": "a path", "default": "none"},
        ),
    ] = None
    debug_records: Annotated[
        bool,
        Meta(
            description="Whether all chats are recorded for debugging: what is sent to models, and what "
            "comes back. Otherwise administrators allow it, and users choose it for their chats.",
            extra={"expected": "true or false"},
        ),
    ] = False
    debug_retention_days: Annotated[
        int,
        Meta(
            ge=0,
            le=3650,
            description="How long such records are kept; 0 keeps them as long as their chats.",
            extra={"expected": "a whole number from 0 to 3650"},
        ),
    ] = 30
    log_level: Annotated[
        LogLevel,
        Meta(
            description="The least important thing that is logged.",
            extra={"expected": "one of " + ", ".join(LogLevel)},
        ),
    ] = LogLevel.INFO
    log_format: Annotated[
        LogFormat,
        Meta(
            description="How it is logged; `auto` is `pretty` on a terminal and `json` elsewhere.",
            extra={"expected": "one of " + ", ".join(LogFormat)},
        ),
    ] = LogFormat.AUTO
    providers: Annotated[
        tuple[ProviderDeclaration, ...],
        Meta(
            description="Places to call models at; each `[[providers]]` is one.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()
    models: Annotated[
        tuple[ModelDeclaration, ...],
        Meta(
            description="Models that chats may use; each `[[models]]` is one.",
            extra={"expected": "tables", "default": "the usual ones of each provider"},
        ),
    ] = ()
    mcp_servers: Annotated[
        tuple[McpServerDeclaration, ...],
        Meta(
            description="MCP servers for all users; each `[[mcp_servers]]` is one.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()
    rules: Annotated[
        tuple[Rule, ...],
        Meta(
            description="Rules for approvals that come before those of users and chats; each `[[rules]]` is "
            "one, and the first that fits counts.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'chatd.db'}"


_FIELDS: Mapping[str, FieldInfo] = {field.name: field for field in fields(Settings)}


class _Source(Struct, frozen=True):
    """Some settings, and where they were found, in words."""

    found_in: str
    values: Mapping[str, object]
    # How a setting is written there.
    spell: Callable[[str], str] = str
    # In a file a number is a number; elsewhere everything is text.
    typed: bool = False


def load(*, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path) -> Settings:
    """The settings of this process. Raises Misconfigured with what is wrong, and where it was found."""
    values: dict[str, object] = {"data_dir": _default_data_dir(environment)}
    for source in _sources(flags, environment, directory):
        values |= {key: _checked(source, key, value) for key, value in source.values.items()}
    return msgspec.convert(values, Settings, dec_hook=_path)


def _sources(
    flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> Iterator[_Source]:
    """The weakest first."""
    given = {key: value for key, value in flags.items() if value is not None}
    named = given.pop("config", None) or environment.get(CONFIG_VARIABLE)
    told = [
        _Source("the environment", dict(_variables(environment)), spell=_variable),
        _Source("the command line", given, spell=_option),
    ]
    if named:
        yield _file(directory / Path(str(named)).expanduser())
    else:
        yield from _usual_files(environment, told)
    yield from told


def _usual_files(environment: Mapping[str, str], stronger: Sequence[_Source]) -> Iterator[_Source]:
    """The user's file, and then the one in the data directory, whose place all others may decide."""
    sources = [*stronger]
    if _is_there(path := _user_file(environment)):
        sources.insert(0, _file(path))
        yield sources[0]
    data_dir = _default_data_dir(environment)
    for source in sources:
        if "data_dir" in source.values:
            data_dir = _path(Path, _checked(source, "data_dir", source.values["data_dir"]))
    if _is_there(path := data_dir / CONFIG_FILE):
        found = _file(path)
        if "data_dir" in found.values:
            raise Misconfigured(f"`data_dir` in {path} would say where that very file is. Set it elsewhere.")
        yield found


def settings_files(
    *, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> tuple[Path, ...]:
    """The files that `load` reads. They may hold keys."""
    return tuple(Path(each.found_in) for each in _sources(flags, environment, directory) if each.typed)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # We may not enter it. If it is needed, opening the file says so.


def stray_file(
    settings: Settings, *, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> Path | None:
    """A `chatd.toml` in the current directory that is not read, because no flag or variable names it."""
    here = directory / CONFIG_FILE
    if flags.get("config") or environment.get(CONFIG_VARIABLE) or not _is_there(here):
        return None
    usual = (_user_file(environment), settings.data_dir / CONFIG_FILE)
    return here if here.resolve() not in {path.resolve() for path in usual} else None


def _file(path: Path) -> _Source:
    try:
        text = path.read_text(encoding="utf-8")
        return _Source(str(path), tomllib.loads(text), typed=True)
    except OSError as error:
        raise Misconfigured(f"Cannot read the settings file {path}: {error.strerror}.") from error
    except ValueError as error:
        raise Misconfigured(f"The settings file {path} is not valid TOML: {error}.") from error


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the environment sets. An empty variable sets nothing."""
    injected = injected_variables(environment)
    for name, value in sorted(environment.items()):
        ours = name.startswith(PREFIX) and not name.startswith(TEST_PREFIX)
        if ours and name not in (CONFIG_VARIABLE, *CLIENT_VARIABLES, *injected) and value:
            yield name.removeprefix(PREFIX).lower(), value


def injected_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Variables that Kubernetes sets for a Service of our name. They are no settings of ours."""
    found = (n for n, value in environment.items() if is_service_variable(n, value, prefix=PREFIX))
    return tuple(sorted(found))


def _checked(source: _Source, key: str, value: object) -> object:
    field = _FIELDS.get(key)
    if field is None or (key in TABLES and not source.typed):
        raise Misconfigured(_unknown(source, key))
    if key in TABLES:
        return _tables(source, key, value)
    if key in LISTS and not source.typed:
        value = [each for each in str(value).split(LISTS[key]) if each]
    try:
        return msgspec.convert(value, field.type, strict=source.typed, dec_hook=_path)
    except msgspec.ValidationError as error:
        shown = "set" if key in SECRETS else repr(value)
        raise Misconfigured(
            f"`{source.spell(key)}` in {source.found_in} is {shown}; it must be {_said(field, 'expected')}."
        ) from error


def _tables(source: _Source, key: str, value: object) -> tuple[Struct, ...]:
    """Every `[[key]]` table. What is wrong is told with its number and its field, and without its content."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise Misconfigured(f"`{key}` in {source.found_in} must be written as [[{key}]] tables.")
    if key == "rules" and len(value) > RULES_DECLARED_MAX:
        raise Misconfigured(
            f"There are {len(value)} [[rules]] in {source.found_in}; there may be {RULES_DECLARED_MAX}."
        )
    return tuple(_table(source, key, number, table) for number, table in enumerate(value, 1))


def _table(source: _Source, key: str, number: int, table: Mapping[str, object]) -> Struct:
    known = [field.name for field in fields(TABLES[key])]
    where = f"[[{key}]] number {number} in {source.found_in}"
    for name in table:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"Did you mean `{near[0]}`?" if near else f"It may have {', '.join(known)}."
            raise Misconfigured(f"{where} has no setting `{name}`. {advice}")
    try:
        made: Struct = msgspec.convert(table, TABLES[key])
    except msgspec.ValidationError as error:
        raise Misconfigured(f"{where} is wrong: {error}.") from error
    if isinstance(made, Rule) and made.is_too_long:
        raise Misconfigured(f"{where} is too long: a rule may have {RULE_BYTES_MAX} bytes as JSON.")
    return made


def _unknown(source: _Source, key: str) -> str:
    spelled = [name for name in _FIELDS if source.typed or name not in TABLES]
    near = difflib.get_close_matches(key, spelled, n=1)
    known = ", ".join(f"`{source.spell(name)}`" for name in spelled)
    advice = f"Did you mean `{source.spell(near[0])}`?" if near else f"There are {known}."
    return f"There is no setting `{source.spell(key)}`, which {source.found_in} sets. {advice}"


def _variable(key: str) -> str:
    return PREFIX + key.upper()


def _option(key: str) -> str:
    # A flag is for what is not so without it.
    return "--no-worker" if key == "worker" else "--" + key.replace("_", "-")


def _path(type_: type, value: object) -> Path:
    assert type_ is Path
    if isinstance(value, Path):
        return value
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("not a path")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError("there is no user with this home directory") from error


def _default_data_dir(environment: Mapping[str, str]) -> Path:
    return _home(environment, "XDG_DATA_HOME", "~/.local/share") / "chatd"


def _user_file(environment: Mapping[str, str]) -> Path:
    return _home(environment, "XDG_CONFIG_HOME", "~/.config") / "chatd" / CONFIG_FILE


def _home(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    # The specification of these directories says that a relative one is to be ignored.
    named = Path(environment.get(variable, ""))
    return named if named.is_absolute() else Path(usual).expanduser()


def reference() -> str:
    """Every setting as a page for people. The same on every machine."""
    return "\n".join([_PREAMBLE, *(_row(field) for field in _FIELDS.values()), ""])


def _row(field: FieldInfo) -> str:
    name = field.name
    flag = f"`{_option(name)}`" if name in FLAGS else ""
    default = _said(field, "default") or f"`{field.default}`"
    variable = f"`{_variable(name)}`" if name not in TABLES else ""
    cells = f"`{name}`", variable, flag, default, _said(field, "description")
    return "| " + " | ".join(cells) + " |"


def _said(field: FieldInfo, what: str) -> str:
    (meta,) = (m for m in getattr(field.type, "__metadata__", ()) if isinstance(m, Meta))
    said = meta.description if what == "description" else (meta.extra or {}).get(what)
    return str(said or "")


_PREAMBLE = """\
# Settings

<!-- Generated by tools/generate.py from src/chatd/settings.py. -->

A flag wins over an environment variable, which wins over the settings file, which wins over the
default. The settings file is the one that `--config` or `CHATD_CONFIG` names. Without one it is
`$XDG_CONFIG_HOME/chatd/chatd.toml`, or else `~/.config/chatd/chatd.toml`, and after it `chatd.toml` in
the data directory, which wins where both set something. A `chatd.toml` in the current directory counts
only when it is named. An empty environment variable sets nothing; one that sets several paths or names has
colons between them. A setting that does not exist is refused, wherever it is found.

| In the file | In the environment | Flag | Default | What it is |
| --- | --- | --- | --- | --- |"""

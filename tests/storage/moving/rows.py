"""Rows for every table, made from its columns: a table that comes later is filled without a word here."""

import sqlite3
from collections.abc import Iterator, Mapping

from chatd.storage.moving.tables import tables_of

# What a check demands, or a reference that a row may do without. Each table gets two rows: one with all that
# it can have, one with as little as it must.
DEMANDED: Mapping[tuple[str, str], tuple[object, object]] = {
    ("users", "role"): ("admin", "member"),
    # The second is an end user of the first.
    ("users", "kind"): ("service", "end_user"),
    ("users", "service_id"): (None, "users id 0"),
    ("users", "external_id"): (None, "customer 7"),
    ("groups", "source"): ("local", "oidc"),
    ("group_members", "source"): ("oidc", "local"),
    ("services", "acts_for"): ("group", "end_users"),
    ("services", "group_id"): ("groups id 0", None),
    ("chats", "status"): ("waiting", "running"),
    ("chats", "archived"): (1, 0),
    ("chats", "last_error"): (None, None),
    ("chats", "deadline_at"): (None, None),
    ("chats", "compaction_requested_at"): (None, 7),
    ("chats", "finish_reason"): ("completed", None),
    ("chats", "history_version"): (1, 1),
    ("chats", "snapshot_version"): (9, 9),
    ("chats", "queue_version"): (2, 2),
    ("chats", "retry_version"): (2, 2),
    ("chats", "branch"): (1, 1),
    ("chats", "queued"): (0, 2),
    ("chats", "pin_order"): (0, 0),
    # The second works for the first, which comes later when the table is read by its key.
    ("chats", "id"): ("z-parent", "a-child"),
    ("chats", "parent_id"): (None, "z-parent"),
    ("chats", "root_id"): (None, "z-parent"),
    ("chats", "agent_type"): (None, "explore"),
    ("chats", "title_by"): ("person", "model"),
    ("chats", "service_id"): (None, "users id 0"),
    ("chats", "worker_id"): (None, "worker"),
    ("chats", "runner_id"): (None, "runner"),
    ("messages", "role"): ("user", "assistant"),
    ("messages", "visibility"): ("both", "model"),
    ("calls", "kind"): ("local", "person"),
    ("calls", "effect"): ("once", "read"),
    ("calls", "state"): ("finished", "needs_approval"),
    ("calls", "result"): ('{"result": 1}', None),
    ("models", "compression_threshold"): (70, 100),
    ("providers", "deleted_at"): (None, 5),
    ("providers", "enabled"): (1, 0),
    ("providers", "api_key"): ("sealed", None),
    ("debug_runs", "status"): ("completed", "in_progress"),
    ("debug_runs", "finished_at"): (5, None),
    ("tokens", "chat_id"): ("z-parent", None),
    ("chat_grants", "kind"): ("group", "everyone"),
    ("chat_grants", "group_id"): ("groups id 0", None),
    ("chat_grants", "role"): ("writer", "reader"),
    ("transfers", "keep"): ("writer", "nothing"),
    ("sign_ins", "method"): ("token", "link"),
    ("sign_ins", "token_id"): ("tokens id 0", None),
    ("sign_in_codes", "purpose"): ("terminal", "invite"),
    ("audit", "outcome"): ("done", "refused"),
}
# What text may hold that a careless copy would change.
SPECIAL = "tab\t quote ' backslash \\ line\n \u2028 ß 漢字 🦜 \\u0000"
LARGE = 2**62


def fill(raw: sqlite3.Connection) -> None:
    for table in tables_of(raw):
        for number in range(2):
            row = dict(_row(raw, table.name, number))
            marks = ", ".join("?" * len(row))
            columns = ", ".join(f'"{column}"' for column in row)
            raw.execute(f'INSERT INTO "{table.name}" ({columns}) VALUES ({marks})', tuple(row.values()))  # noqa: S608
    raw.commit()


def _row(raw: sqlite3.Connection, table: str, number: int) -> Iterator[tuple[str, object]]:
    parents = {
        column: (parent, key)
        for _, _, parent, column, key, *_ in raw.execute(f'PRAGMA foreign_key_list("{table}")')
    }
    columns = raw.execute(f'PRAGMA table_info("{table}")').fetchall()
    for _, column, kind, needed, _, in_key in columns:
        if (table, column) in DEMANDED:
            yield column, DEMANDED[table, column][number]
        elif column in parents:
            parent, key = parents[column]
            query = f'SELECT "{key}" FROM "{parent}" ORDER BY rowid LIMIT 1 OFFSET {number}'  # noqa: S608
            yield column, raw.execute(query).fetchone()[0]
        elif number and not needed and not in_key:
            yield column, None
        else:
            yield column, _value(table, column, kind, number)


def _value(table: str, column: str, kind: str, number: int) -> object:
    match kind:
        case "BOOLEAN":
            return number
        case "SMALLINT" | "INTEGER":
            return number + 1
        case "BIGINT":
            return LARGE if column.endswith("_at") else number + 1
        case "BLOB":
            return bytes(range(256)) * (number + 1)
        case _:
            # Short where it may be a key, and everything else besides.
            return f"{table} {column} {number}" if column in {"hash", "id", "key"} else f"{SPECIAL} {number}"

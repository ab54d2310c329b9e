"""A chat changes in `transact` and nowhere else, so whoever greps that name has found every write."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from chatd.storage.queries import SqlEngine, queries_for
from tests.house.repository import SOURCE, name_of

# What makes up a chat.
TABLES = (
    "chats",
    "chat_labels",
    "chat_setups",
    "chat_rules",
    "context_resources",
    "messages",
    "message_keys",
    "queued_messages",
    "calls",
    "branches",
    "file_links",
    "charges",
)

STORAGE = SOURCE / "storage"
DOOR = STORAGE / "transactions" / "transact.py"
WRITER = STORAGE / "transactions" / "write.py"
# It carries out what the door and its writer ask, in one statement.
UNLOCKED = STORAGE / "postgres" / "unlocked.py"

# How a transaction's body asks for a query by its name.
ASKING = {"all", "one", "run", "run_many"}

_WRITES = re.compile(
    rf"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE)\s+(?:{'|'.join(TABLES)})\b", re.IGNORECASE
)


def writing_queries() -> set[str]:
    return {name for engine in SqlEngine for name, sql in queries_for(engine).items() if _WRITES.search(sql)}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"), path)


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def queries_asked_for(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKING:
            for argument in node.args[:1]:
                yield from strings(argument)


def modules_imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_the_queries_that_write_a_chat_are_recognised() -> None:
    """Were the pattern wrong, the other tests here would pass for no reason."""
    known = {"insert_chat", "save_chat", "insert_message", "leave_suffix", "enter_branch", "insert_branch"}
    known |= {"insert_queued", "delete_queued", "insert_call", "save_call", "link_file", "delete_chat"}

    assert known <= writing_queries()
    assert not {"lock_chat", "read_queue", "open_calls", "insert_file", "beat"} & writing_queries()


def test_only_the_door_and_its_writer_ask_for_a_query_that_writes_a_chat() -> None:
    writing = writing_queries()
    # Within storage/ any mention of such a name counts, so that it cannot be handed on in a variable.
    strangers = [
        f"{name_of(path)}:{line} asks for `{query}`"
        for path, tree in sources()
        if path not in {DOOR, WRITER, UNLOCKED}
        for line, query in (strings(tree) if path.is_relative_to(STORAGE) else queries_asked_for(tree))
        if query in writing
    ]

    assert not strangers, _told(strangers)


def test_only_the_door_uses_the_writer() -> None:
    strangers = [
        f"{name_of(path)}:{line} imports {module}"
        for path, tree in sources()
        if path != DOOR
        for line, module in modules_imported(tree)
        if module == "chatd.storage.transactions.write"
    ]

    assert not strangers, _told(strangers)


def test_no_python_file_writes_a_chat_with_sql_of_its_own() -> None:
    strangers = [
        f"{name_of(path)}:{line} has {found[0]!r}"
        for path, tree in sources()
        for line, text in strings(tree)
        if (found := _WRITES.search(text)) is not None
    ]

    assert not strangers, _told(strangers)


def _told(strangers: list[str]) -> str:
    listed = "\n".join(f"  {stranger}" for stranger in dict.fromkeys(strangers))
    return (
        f"A chat is written past `transact`:\n{listed}\n"
        "Make it a transition (docs/develop/add-a-transition.md), or reach it through "
        "storage/transactions/transact.py."
    )

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Effort, Role
from chatd.domain.part import FileReference, Text
from chatd.hints.hint import WorkWaiting
from chatd.hints.memory import MemoryBus
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.clock import START_MICROS
from tests.traceability import proves

TEXT = {"type": "text", "text": "hello"}
START = "2027-01-15T08:00:00.000000Z"


async def test_a_new_chat_is_running_and_shown_whole(client: Client) -> None:
    assert START_MICROS == 1_800_000_000_000_000

    answer = await client.post(CHATS, {"content": [TEXT], "labels": {"team": "blue"}})

    chat = answer.json
    assert answer.status == 201
    assert chat == {
        "id": chat["id"],
        "owner_id": "owner",
        "owner": {"id": "owner", "name": "owner", "display_name": ""},
        "access": "owner",
        "shared": False,
        "title": "hello",
        "status": "running",
        "archived": False,
        "labels": {"team": "blue"},
        "pin_order": 0,
        "has_unread": False,
        "muted": False,
        "queue_length": 0,
        "children": {"count": 0, "at_work": 0, "waiting": []},
        "last_read_message_id": 0,
        "last_error": None,
        "retry": None,
        "queue": [],
        "waiting_for": [],
        "created_at": START,
        "updated_at": START,
        "last_model": None,
        "last_reasoning_effort": None,
        "finish_reason": None,
        "parent_chat_id": None,
        "root_chat_id": None,
        "agent_type": None,
        "branch": 1,
        "branch_count": 1,
        "snapshot_version": 1,
        "usage_total": {},
        "cost_micros_total": 0,
        "unpriced_calls": 0,
        "context_dirty_since": None,
        "title_by": "fallback",
        "last_turn_summary": None,
        "summary": None,
        "held_up": None,
        "key": None,
        "temporary": False,
        "last_message_id": 1,
        "instructions": "",
        "client_tools": [],
        "client_deadline_seconds": 300,
        "options": {},
        "workspace": None,
        "mcp_servers": None,
        "mode": None,
        "delegation": True,
    }
    assert (await client.get(f"{CHATS}/{chat['id']}")).json == chat


async def test_everything_that_was_sent_is_stored(client: Client, store: Store) -> None:
    reference = {
        "type": "file-reference",
        "file_name": "a.py",
        "start_line": 3,
        "end_line": 4,
        "content": "x",
    }
    tool = {"name": "open_tab", "description": "Opens a tab.", "input_schema": {"type": "object"}}

    chat = (
        await client.post(
            CHATS,
            {
                "content": [TEXT, reference],
                "title": "  A title ",
                "client_tools": [tool],
                "model": "some/model",
                "reasoning_effort": "high",
            },
        )
    ).json

    assert (chat["title"], chat["last_model"], chat["last_reasoning_effort"]) == (
        "A title",
        "some/model",
        "high",
    )
    stored = await read_everything(store.db, ChatId(chat["id"]))
    assert stored is not None
    (message,) = stored.messages
    assert Draft(
        role=message.role, content=message.content, model=message.model, effort=message.effort
    ) == Draft(
        role=Role.USER,
        content=(
            Text(text="hello"),
            FileReference(file_name="a.py", start_line=3, end_line=4, content="x"),
        ),
        model="some/model",
        effort=Effort.HIGH,
    )
    (declared,) = stored.setup.client_tools
    assert (declared.name, declared.description, declared.input_schema) == tuple(tool.values())


async def test_a_worker_hears_of_a_new_chat(client: Client, bus: MemoryBus) -> None:
    with bus.listening() as inbox:
        chat = await client.start_chat()

        assert WorkWaiting(chat_id=chat["id"], snapshot=1) in await inbox.wait_for_hints()


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Name a planet.", "Name a planet."),
        ("one two three four five six", "one two three four five six"),
        ("one two  three\nfour five six seven", "one two three four five six…"),
        ("x" * 81, "x" * 79 + "…"),
        (" ".join(["y" * 20] * 6), ("y" * 20 + " ") * 3 + "y" * 16 + "…"),
        ("bell\x07 and\u202e turned\x00 around", "bell and turned around"),
        ("\u200b\u2028x", "x"),
        ("\u200b", "New chat"),
        # Only the beginning of a long text is looked at.
        (" " * 10_000 + "x", "x"),
        ("\u200b" * 10_000 + "x", "New chat"),
    ],
)
async def test_a_chat_without_a_title_is_called_by_its_first_words(
    client: Client, words: str, title: str
) -> None:
    assert (await client.start_chat(words))["title"] == title


async def test_a_chat_that_begins_with_a_file_has_a_title_too(client: Client) -> None:
    answer = await client.post(CHATS, {"content": [{"type": "file-reference", "file_name": "a.py"}]})

    assert answer.json["title"] == "New chat"


@proves("api", 3)
@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"type": "text", "text": " \n "}, "content[1]"),
        ({"type": "text"}, "content[1]"),
        ({"type": "text", "text": 3}, "content[1].text"),
        ({"type": "reasoning", "text": "hm"}, "content[1]"),
        ({"type": "tool-result", "tool_call_id": "a", "tool_name": "b"}, "content[1]"),
        ({"type": 7}, "content[1]"),
        ({"text": "untyped"}, "content[1]"),
        ("words", "content[1]"),
        ({"type": "file", "media_type": "text/plain"}, "content[1]"),
        ({"type": "file", "file_id": "a\0b", "media_type": "text/plain"}, "content[1]"),
        ({"type": "file-reference"}, "content[1]"),
        ({"type": "file-reference", "file_name": "a", "start_line": 9, "end_line": 8}, "content[1]"),
        ({"type": "text", "text": "x", "texts": "y"}, "content[1].texts"),
    ],
)
async def test_a_part_that_cannot_be_sent_is_named(client: Client, part: object, field: str) -> None:
    answer = await client.post(CHATS, {"content": [TEXT, part]})

    assert (answer.status, answer.error["field"]) == (400, field)


async def test_an_unknown_kind_of_part_is_told_what_there_is(client: Client) -> None:
    answer = await client.post(CHATS, {"content": [{"type": "video"}]})

    assert answer.error["hint"] == "Its `type` is one of text, file, file-reference."


@proves("api", 3)
async def test_a_message_needs_at_least_one_part(client: Client) -> None:
    answer = await client.post(CHATS, {"content": []})

    assert (answer.status, answer.error["field"]) == (400, "content")


@proves("api", 3)
async def test_a_file_that_was_not_uploaded_is_refused(client: Client) -> None:
    part = {"type": "file", "file_id": "nothing", "media_type": "text/plain"}

    answer = await client.post(CHATS, {"content": [part]})

    assert (answer.status, answer.error["code"]) == (400, "file_unavailable")


@proves("api", 9)
@pytest.mark.parametrize(
    "labels",
    [
        {f"key{n}": "value" for n in range(51)},
        {"": "value"},
        {"-key": "value"},
        {"k" * 65: "value"},
        {"key with blanks": "value"},
        {"key": ""},
        {"key": "v" * 257},
        {"key": "ä" * 129},
        {"key": "zero\0"},
        {"key": "\ud800"},
    ],
)
async def test_labels_outside_their_limits_are_refused(client: Client, labels: dict[str, str]) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "labels": labels})

    assert (answer.status, answer.error["field"]) == (400, "labels")


async def test_labels_at_their_limits_are_kept(client: Client) -> None:
    labels = {f"k{n:063}": "ä" * 128 for n in range(50)}

    assert (await client.start_chat(labels=labels))["labels"] == labels


@proves("tools", 73)
@pytest.mark.parametrize(
    ("tools", "field"),
    [
        ([{"name": "a"}, {"name": "a"}], "client_tools[1].name"),
        ([{"name": ""}], "client_tools[0].name"),
        ([{"name": " "}], "client_tools[0].name"),
        ([{"description": "nameless"}], "client_tools[0]"),
        ([{"name": "a", "input_schema": "string"}], "client_tools[0].input_schema"),
        ([{"name": f"tool{n}"} for n in range(251)], "client_tools"),
    ],
)
async def test_client_tools_outside_their_limits_are_refused(
    client: Client, tools: list[object], field: str
) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "client_tools": tools})

    assert (answer.status, answer.error["field"]) == (400, field)


async def test_250_client_tools_are_not_too_many(client: Client) -> None:
    await client.start_chat(client_tools=[{"name": f"tool{n}"} for n in range(250)])


@pytest.mark.parametrize("title", ["", "  ", "t" * 201, "two\nlines", "bell\x07", "half\ud800"])
async def test_a_title_outside_its_limits_is_refused(client: Client, title: str) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "title": title})

    assert (answer.status, answer.error["field"]) == (400, "title")


async def test_an_unknown_effort_is_refused(client: Client) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "reasoning_effort": "very"})

    assert (answer.status, answer.error["field"]) == (400, "reasoning_effort")


@pytest.mark.parametrize("model", ["", "a\0b", "\ud800", "m" * 201])
async def test_a_model_that_cannot_be_a_name_is_refused(client: Client, model: str) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "model": model})

    assert (answer.status, answer.error["field"]) == (400, "model")


@proves("api", 11)
async def test_a_chat_that_is_too_large_is_refused_and_leaves_nothing_behind(client: Client) -> None:
    answer = await client.post(CHATS, {"content": [{"type": "text", "text": "x" * 262_144}]})

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")
    assert (await client.get(CHATS)).json == {"chats": []}


async def test_a_refused_chat_leaves_nothing_behind(client: Client) -> None:
    await client.post(CHATS, {"content": [TEXT], "labels": {"": ""}})

    assert (await client.get(CHATS)).json == {"chats": []}

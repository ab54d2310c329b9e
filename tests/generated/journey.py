"""The journey with a client that openapi-python-client made. A program: it prints what it has seen."""

import json
import sys
import time
from io import BytesIO
from typing import Any, TypeVar

from chatd_generated import AuthenticatedClient
from chatd_generated.api.chats import create_chat, delete_chat, get_chat, list_chats
from chatd_generated.api.files import add_file
from chatd_generated.api.messages import list_messages, send_message
from chatd_generated.api.turns import submit_actions
from chatd_generated.models import (
    AddFileFilesBody,
    ChatStatus,
    ChatView,
    ClientToolInput,
    CreateChat,
    ErrorBody,
    FileInput,
    MessageRole,
    ResultInput,
    SendMessage,
    SubmitActions,
    TextInput,
    TextPart,
    When,
)
from chatd_generated.types import File, Unset

T = TypeVar("T")

SCRIPT = 'call weather {"place": "Graz"}\nnext\nsay Warm.'
# Only ever waited for when something is broken.
PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.05


def text(words: str) -> TextInput:
    return TextInput(type_="text", text=words)


def done(answer: T | ErrorBody | None) -> T:
    assert answer is not None, "nothing came"
    assert not isinstance(answer, ErrorBody), answer.error.message
    return answer


def until(client: AuthenticatedClient, chat_id: str, status: ChatStatus) -> ChatView:
    """A program without streams asks again and again."""
    for _ in range(int(PATIENCE_SECONDS / PAUSE_SECONDS)):
        chat: ChatView = done(get_chat.sync(chat_id, client=client))
        if chat.status is status:
            return chat
        time.sleep(PAUSE_SECONDS)
    raise AssertionError(f"the chat is not {status}")


def said(client: AuthenticatedClient, chat_id: str) -> list[str]:
    page = done(list_messages.sync(chat_id, client=client, after_id=0))
    replies = [message for message in page.messages if message.role is MessageRole.ASSISTANT]
    return [part.text for message in replies for part in message.content if isinstance(part, TextPart)]


def pages(client: AuthenticatedClient) -> list[int]:
    page = done(list_chats.sync(client=client, limit=2))
    sizes = [len(page.chats)]
    while not isinstance(page.next_, Unset):
        page = done(list_chats.sync(client=client, limit=2, cursor=page.next_))
        sizes.append(len(page.chats))
    return sizes


def journey(client: AuthenticatedClient) -> dict[str, Any]:
    body = CreateChat(content=[text(SCRIPT)], client_tools=[ClientToolInput(name="weather")])
    chat_id = done(create_chat.sync(client=client, body=body)).id
    waiting = until(client, chat_id, ChatStatus.REQUIRES_ACTION)
    assert not isinstance(waiting.waiting_for, Unset)
    (call,) = waiting.waiting_for
    result = ResultInput(tool_call_id=call.tool_call_id, output={"celsius": 21})
    done(submit_actions.sync(chat_id, client=client, body=SubmitActions(results=[result])))
    until(client, chat_id, ChatStatus.WAITING)

    form = AddFileFilesBody(file=File(BytesIO(b"hello"), "notes.txt", "text/plain"))
    file = done(add_file.sync(client=client, body=form))
    attached = FileInput(type_="file", file_id=file.id)
    question = SendMessage(content=[text("say I have read it."), attached], when=When.QUEUE)
    sent = done(send_message.sync(chat_id, client=client, body=question))
    until(client, chat_id, ChatStatus.WAITING)
    replies = said(client, chat_id)

    for title in ("two", "three"):
        done(create_chat.sync(client=client, body=CreateChat(content=[text("say Hello.")], title=title)))
    sizes = pages(client)

    missing = get_chat.sync_detailed("nothing", client=client)
    empty = create_chat.sync_detailed(client=client, body=CreateChat(content=[]))
    assert isinstance(missing.parsed, ErrorBody)
    assert isinstance(empty.parsed, ErrorBody)
    removed = delete_chat.sync_detailed(chat_id, client=client)
    afterwards = get_chat.sync_detailed(chat_id, client=client)
    return {
        "waited_for": [call.kind, call.tool_name, call.args],
        "queued": sent.queued,
        "file": [file.name, file.media_type, file.size_bytes],
        "said": replies,
        "pages": sizes,
        "missing": [missing.status_code, missing.parsed.error.code],
        "empty": [empty.status_code, empty.parsed.error.field],
        "removed": [removed.status_code, afterwards.status_code],
    }


if __name__ == "__main__":
    address, token = sys.argv[1:]
    with AuthenticatedClient(base_url=address, token=token) as caller:
        print(json.dumps(journey(caller)))

"""What a user may have of files in all, as callers are told of it."""

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import Client

NAMED = {"content-type": "text/plain", "content-disposition": "attachment; filename=a.txt"}


async def test_an_upload_beyond_the_quota_is_413_and_says_what_to_do(store: Store, owner: UserId) -> None:
    token = await create_token(store.db, owner, "test")
    client = Client(build(store, file_bytes_max=2 * 2**20), token)

    kept = await client.ask("POST", "/api/v1/files", b"a" * (2**20), headers=NAMED)
    refused = await client.ask("POST", "/api/v1/files", b"a" * (2**20 + 1), headers=NAMED)

    assert kept.status == 201
    assert (refused.status, refused.error["code"]) == (413, "quota_reached")
    assert refused.error["message"] == "Your files would be more than 2 MiB."
    assert "Delete chats" in refused.error["hint"]


async def test_an_import_beyond_the_quota_makes_no_chat(store: Store, owner: UserId) -> None:
    client = Client(build(store, file_bytes_max=4), await create_token(store.db, owner, "test"))
    carried = {
        "format": "chatd-chat",
        "version": 3,
        "title": "A chat",
        "messages": [
            {"role": "user", "content": [{"type": "file", "file_id": "f", "media_type": "text/plain"}]}
        ],
        "files": [{"id": "f", "name": "a.txt", "media_type": "text/plain", "data": "aGVsbG8="}],
    }

    refused = await client.post("/api/v1/chats/import", carried)

    assert (refused.status, refused.error["code"]) == (413, "quota_reached")
    assert (await client.get("/api/v1/chats")).json["chats"] == []

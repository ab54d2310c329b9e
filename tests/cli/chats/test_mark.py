"""chatd mark and chatd ls --shared: what one marks for oneself, also in chats of others."""

import json
from pathlib import Path

from chatd.client import AsyncClient
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served


async def test_a_chat_of_ones_own_is_marked(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        chat = await client.create_chat("hello")

        marked = await ran(tmp_path, server, "mark", chat.id[:13], "--read", "--pin", "--mute")
        assert marked.output == "read, pinned, muted\n"
        taken_back = await ran(tmp_path, server, "mark", chat.id, "--unpin", "--unmute", "--json")
        assert json.loads(taken_back.output)["pin_order"] == 0
        assert not (await client.chat(chat.id)).muted

        nothing = await ran(tmp_path, server, "mark", chat.id)
        assert nothing.code == 2
        assert "--read, --pin or --mute" in nothing.errors


async def test_a_chat_of_somebody_else_is_listed_and_marked_and_its_owner_s_marks_stay(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as member:
        admin = await member.as_admin()
        async with AsyncClient(admin.address, admin.token) as client:
            chat = await client.create_chat("Moons of Mars")
            await client.share(chat.id, "owner")

            listed = await ran(tmp_path, member, "ls", "--shared")
            assert listed.output.startswith(chat.id)
            assert "Moons of Mars  (root)" in listed.output
            assert chat.id not in (await ran(tmp_path, member, "ls")).output
            marked = await ran(tmp_path, member, "mark", chat.id[:13], "--pin", "--mute")
            assert marked.output == "read, pinned, muted\n"
            assert ((await client.chat(chat.id)).pin_order, (await client.chat(chat.id)).muted) == (0, False)
            await client.unshare(chat.id, "owner")
            assert "Nothing is shared with you." in (await ran(tmp_path, member, "ls", "--shared")).errors

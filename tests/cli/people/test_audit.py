"""chatd audit."""

import json
from pathlib import Path

from chatd.storage.tables.audit_seals import seal_audit
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.clock import MovedClock
from tests.support.served import served


async def test_what_was_done_is_listed_exported_and_verified(
    store: Store, tmp_path: Path, clock: MovedClock
) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        await ran(tmp_path, server, "user", "add", "Anna")
        await clock.advance(11)

        listed = (await ran(tmp_path, server, "audit", "ls", "--deed", "user.create")).output
        assert listed.split("\n")[0].split() == ["TIME", "WHO", "VIA", "DEED", "TARGET", "CHANGES"]
        assert '{"name":"Anna","role":"member"}' in listed
        found = json.loads((await ran(tmp_path, server, "audit", "ls", "--refused", "--json")).output)
        assert found["entries"] == []
        file = tmp_path / "audit.csv"
        exported = await ran(tmp_path, server, "audit", "export", "--format", "csv", "-o", str(file))
        assert exported.code == 0
        assert file.read_text().startswith("at,id,actor_id,actor,")
        assert "Nothing is sealed yet" in (await ran(tmp_path, server, "audit", "verify")).output

        await clock.advance(3600)
        await seal_audit(store.db)
        intact = await ran(tmp_path, server, "audit", "verify")
        assert (intact.code, intact.output[:7]) == (0, "Intact:")
        await store.db.write(lambda tx: tx.script("DELETE FROM audit WHERE deed = 'user.create';"))
        broken = await ran(tmp_path, server, "audit", "verify")
        assert broken.code == 1
        assert broken.output.startswith("NOT intact.")
        assert broken.output.rstrip().endswith("missing: 1.")


async def test_a_moment_that_is_none_is_refused_in_the_words_of_the_terminal(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        for words in (("audit", "ls", "--since", "yesterday"), ("share", "a", "b", "--until", "2027-01-31")):
            refused = await ran(tmp_path, server, *words)
            assert "is no moment. Write it like 2027-01-31T12:00:00Z." in refused.errors

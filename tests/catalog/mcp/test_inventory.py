"""Which servers a user has, and which of them a chat uses."""

import pytest
from msgspec.structs import replace

from chatd.catalog.mcp.config import AuthType, Availability, McpConfig, UnreadableServer
from chatd.catalog.mcp.inventory import McpInventory
from chatd.catalog.mcp.server import Transport
from chatd.domain.ids import UserId
from chatd.errors import BadInput, NotAllowed
from tests.traceability import proves

OWNER = UserId("ann")


def server(id_: str, availability: Availability = Availability.DEFAULT_ON, **fields: object) -> McpConfig:
    config = McpConfig(
        id=id_, slug=id_, transport=Transport.SSE, url="https://desk.example", availability=availability
    )
    return replace(config, **fields)


FORCED = server("forced", Availability.FORCE_ON)
USUAL = server("usual")
RARE = server("rare", Availability.DEFAULT_OFF)
OFF = server("off", enabled=False)
GIVEN = server("given", groups=("research", "legal"))
ALL = McpInventory((), (FORCED, USUAL, RARE, OFF))


def ids(servers: tuple[McpConfig, ...]) -> list[str]:
    return [each.id for each in servers]


def test_a_chat_that_has_chosen_nothing_uses_what_is_on_by_default() -> None:
    assert ids(ALL.in_use(None)) == ["forced", "usual"]


@proves("mcp-skills-hooks", 10, 11)
def test_a_forced_server_is_in_use_whatever_a_chat_has_chosen() -> None:
    assert ids(ALL.in_use(())) == ["forced"]
    assert ids(ALL.in_use(("rare",))) == ["forced", "rare"]


@proves("mcp-skills-hooks", 13)
def test_a_server_that_was_switched_off_later_is_left_out() -> None:
    assert ids(ALL.in_use(("off", "usual"))) == ["forced", "usual"]
    assert ids(ALL.in_use(("deleted",))) == ["forced"]


@proves("mcp-skills-hooks", 10)
def test_a_choice_is_kept_as_ids_with_the_forced_ones() -> None:
    named = McpInventory((), (FORCED, replace(RARE, slug="by-name")))

    assert named.choice(["by-name", "rare"], ()) == ("rare", "forced")
    assert named.choice([], ()) == ("forced",)


@proves("mcp-skills-hooks", 14)
def test_all_servers_that_cannot_be_chosen_are_named() -> None:
    with pytest.raises(BadInput, match="'off', 'unknown'") as refused:
        ALL.choice(["rare", "off", "unknown"], ())

    assert refused.value.field == "mcp_servers"


@proves("mcp-skills-hooks", 13)
def test_what_a_chat_has_already_may_be_named_again() -> None:
    assert ALL.choice(["off", "deleted", "rare"], {"off", "deleted"}) == ("off", "deleted", "rare", "forced")


@proves("mcp-skills-hooks", 12)
def test_a_forced_server_that_cannot_be_read_stops_everything() -> None:
    unreadable = UnreadableServer(id="x", owner_id=None, slug="x", availability="force_on", reason="newer")
    inventory = McpInventory((), (USUAL, unreadable))

    for ask in (lambda: inventory.in_use(None), lambda: inventory.choice([], ())):
        with pytest.raises(NotAllowed, match="cannot read the MCP server x"):
            ask()


@pytest.mark.parametrize(
    "unreadable",
    [
        UnreadableServer(id="x", owner_id=None, slug="x", availability="default_on", reason="newer"),
        UnreadableServer(id="x", owner_id=OWNER, slug="x", availability="force_on", reason="newer"),
    ],
)
def test_any_other_that_cannot_be_read_is_done_without(unreadable: UnreadableServer) -> None:
    assert ids(McpInventory((), (USUAL, unreadable)).in_use(None)) == ["usual"]


def test_of_two_servers_with_a_slug_the_first_is_used() -> None:
    declared = server("declared", slug="desk", declared=True)
    stored = server("stored", slug="desk")
    own = server("own", slug="desk", owner_id=OWNER)
    inventory = McpInventory((declared,), (stored, own))

    assert ids(inventory.in_use(("stored", "own"))) == []
    assert ids(inventory.in_use(None)) == ["declared"]
    assert inventory.called("desk") == declared
    assert [inventory.why_unusable(each) for each in inventory.servers] == [None, "slug_taken", "slug_taken"]


@pytest.mark.parametrize("mode", [AuthType.API_KEY, AuthType.CUSTOM_HEADERS])
def test_a_server_whose_secret_was_forgotten_is_not_used(mode: AuthType) -> None:
    bare = server("bare", auth_type=mode)
    inventory = McpInventory((), (bare,))

    assert (inventory.why_unusable(bare), inventory.in_use(None)) == ("secret_missing", ())


def test_one_that_cannot_be_read_keeps_its_slug() -> None:
    unreadable = UnreadableServer(
        id="x", owner_id=None, slug="desk", availability="default_on", reason="newer"
    )
    own = server("own", slug="desk", owner_id=OWNER)

    assert McpInventory((), (unreadable, own)).in_use(None) == ()


@proves("mcp-skills-hooks", 15)
def test_a_chat_keeps_what_its_owner_is_not_given_any_more_and_no_other_gets_it() -> None:
    outside = McpInventory((), (USUAL, GIVEN), ["sales"])

    assert ids(outside.in_use(("given",))) == ["given"]
    assert outside.choice(["given"], {"given"}) == ("given",)
    assert ids(outside.in_use(None)) == ["usual"]
    with pytest.raises(BadInput, match="'given'"):
        outside.choice(["given"], ())


def test_a_server_is_given_to_members_of_any_of_its_groups() -> None:
    inside = McpInventory((), (USUAL, GIVEN), ["sales", "legal"])

    assert ids(inside.in_use(None)) == ["usual", "given"]
    assert inside.choice(["given"], ()) == ("given",)
    assert inside.why_unchoosable(GIVEN) is None


def test_a_forced_server_is_forced_on_those_it_is_given_to() -> None:
    forced = replace(GIVEN, availability=Availability.FORCE_ON)

    assert McpInventory((), (forced,), ["legal"]).choice([], ()) == ("given",)
    assert McpInventory((), (forced,), ["sales"]).choice([], ()) == ()
    assert ids(McpInventory((), (forced,), ["sales"]).in_use(("given",))) == ["given"]


def test_a_server_for_no_group_that_is_left_is_for_nobody() -> None:
    gone = replace(GIVEN, groups=())

    assert McpInventory((), (gone,), ["research"]).in_use(None) == ()


def test_a_new_chat_writes_down_its_servers_only_where_groups_give_it_some() -> None:
    assert McpInventory((), (FORCED, USUAL, GIVEN), ["legal"]).to_keep() == ("forced", "usual", "given")
    assert McpInventory((), (FORCED, USUAL, GIVEN), ["sales"]).to_keep() is None
    assert (
        McpInventory(
            (), (USUAL, server("rare", Availability.DEFAULT_OFF, groups=("legal",))), ["legal"]
        ).to_keep()
        is None
    )

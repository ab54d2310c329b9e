"""Every deed, by every caller, against the cells of the specification.

CHATS and OTHERS are the tables of `spec/people.md` section 4, in that document's signs: `y` yes, `r` the
restricted view, `A` audited, `g` the view of a guest, `o` the caller's own. OURS has the deeds that we add.
"""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import BESIDE_ONE_FAMILY, CHAT_DEEDS, OTHER_DEEDS, Deed
from chatd.domain.people.permit import (
    AdminsRead,
    Allow,
    Answer,
    Hide,
    Policy,
    Refuse,
    Relation,
    Standing,
    View,
    permit,
    scope_of,
)
from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import ALL_SCOPES, USUAL_SCOPES, TokenScope

# fmt: off
CHATS = {
    #                   scope          owner writer reader steward admin guest
    "chat.read":      ("chats:read",   "y",  "r",   "r",   "y",    "A",  "g"),
    "chat.past":      ("chats:read",   "y",  "",    "",    "y",    "A",  ""),
    "chat.inspect":   ("chats:read",   "y",  "",    "",    "",     "A",  ""),
    "chat.cost":      ("chats:read",   "y",  "",    "",    "y",    "y",  ""),
    "chat.speak":     ("chats:write",  "y",  "y",   "",    "",     "",   ""),
    "chat.rewrite":   ("chats:write",  "y",  "",    "",    "",     "",   ""),
    "chat.approve":   ("chats:write",  "y",  "",    "",    "",     "",   ""),
    "chat.stop":      ("chats:write",  "y",  "y",   "",    "y",    "y",  ""),
    "chat.describe":  ("chats:write",  "y",  "",    "",    "y",    "",   ""),
    "chat.keep":      ("chats:read",   "y",  "y",   "y",   "",     "",   ""),
    "chat.archive":   ("chats:write",  "y",  "",    "",    "y",    "y",  ""),
    "chat.delete":    ("chats:write",  "y",  "",    "",    "y",    "y",  ""),
    "chat.share":     ("chats:share",  "y",  "",    "",    "",     "",   ""),
    "chat.unshare":   ("chats:share",  "y",  "o",   "o",   "y",    "y",  ""),
    "chat.transfer":  ("chats:share",  "y",  "",    "",    "",     "y",  ""),
}
OUR_CHATS = {
    # Only its owner chooses with what their keys and tools act, and looks around where they do.
    "chat.set_up":    ("chats:write",  "y",  "",    "",    "",     "",   ""),
    "chat.workspace": ("chats:read",   "y",  "",    "",    "",     "",   ""),
    # The prompt of the deployment and the addresses of providers are no business of owners.
    "chat.wire":      ("chats:read",   "",   "",    "",    "",     "A",  ""),
}
OTHERS = {
    #                   scope          admin auditor member viewer end user
    "chat.create":    ("chats:write",  "y",  "y",   "y",   "",     "y"),
    "file.add":       ("files:write",  "y",  "y",   "y",   "",     "y"),
    "model.list":     ("models:read",  "y",  "y",   "y",   "y",    "y"),
    "account.own":    ("account",      "y",  "y",   "y",   "y",    ""),
    "people.find":    ("chats:share",  "y",  "y",   "y",   "",     ""),
    "people.read":    ("usage:read",   "y",  "y",   "",    "",     ""),
    "audit.read":     ("audit:read",   "y",  "y",   "",    "",     ""),
    "metrics.read":   ("metrics:read", "y",  "y",   "",    "",     ""),
    "people.change":  ("admin",        "y",  "",    "",    "",     ""),
    "group.change":   ("admin",        "y",  "",    "",    "",     ""),
    "service.change": ("admin",        "y",  "",    "",    "",     ""),
    "policy.change":  ("admin",        "y",  "",    "",    "",     ""),
    "model.change":   ("admin",        "y",  "",    "",    "",     ""),
}
OUR_OTHERS = {
    "enter":          (None,           "y",  "y",   "y",   "y",    "y"),
    "chat.list":      ("chats:read",   "y",  "y",   "y",   "y",    "y"),
    "file.read":      ("chats:read",   "y",  "y",   "y",   "y",    "y"),
    "server.read":    ("models:read",  "y",  "y",   "y",   "y",    ""),
    "act_as":         ("act_as",       "y",  "y",   "y",   "y",    ""),
    "account.see":    (None,           "y",  "y",   "y",   "y",    "y"),
}
# fmt: on

SIGNS = {
    "y": Allow(),
    "r": Allow(view=View.RESTRICTED),
    "g": Allow(view=View.GUEST),
    "A": Allow(audited=True),
    "o": Allow(only_own=True),
}
NOT_PERMITTED = Refuse("not_permitted")
NEVER = Policy(admins_read_chats=AdminsRead.NEVER)
# Whether public links count is the only thing by which a column depends on the policy.
LINKS = Policy(public_links=True)

MEMBER = Standing(role=UserRole.MEMBER)
VIEWER = Standing(role=UserRole.VIEWER)
ADMIN = Standing(role=UserRole.ADMIN)
END_USER = Standing(role=UserRole.MEMBER, kind=UserKind.END_USER)

CHAT_COLUMNS = {
    "owner": (MEMBER, Relation.OWNER),
    "writer": (MEMBER, Relation.WRITER),
    "reader": (MEMBER, Relation.READER),
    "steward": (Standing(role=UserRole.MEMBER, kind=UserKind.SERVICE), Relation.STEWARD),
    "admin": (ADMIN, Relation.STRANGER),
    "guest": (VIEWER, Relation.GUEST),
}
OTHER_COLUMNS = {
    "admin": ADMIN,
    "auditor": Standing(role=UserRole.AUDITOR),
    "member": MEMBER,
    "viewer": VIEWER,
    "end user": END_USER,
}
standings = st.builds(
    Standing,
    role=st.sampled_from(UserRole),
    kind=st.sampled_from(UserKind),
    scopes=st.frozensets(st.sampled_from(TokenScope)),
    suspended=st.booleans(),
)


def test_every_deed_has_one_row_and_the_specification_or_we_have_decided_on_it() -> None:
    assert set(CHAT_DEEDS) == set(CHATS | OUR_CHATS)
    assert set(OTHER_DEEDS) == set(OTHERS | OUR_OTHERS)
    assert set(CHAT_DEEDS).isdisjoint(OTHER_DEEDS)
    assert set(CHAT_DEEDS) | set(OTHER_DEEDS) == set(Deed)


@pytest.mark.parametrize(("deed", "column"), list(product(CHATS | OUR_CHATS, CHAT_COLUMNS)))
def test_what_may_be_done_to_a_chat_follows_from_what_the_caller_is_to_it(deed: str, column: str) -> None:
    row = dict(zip(["scope", *CHAT_COLUMNS], (CHATS | OUR_CHATS)[deed], strict=True))
    standing, relation = CHAT_COLUMNS[column]

    assert scope_of(Deed(deed)) == row["scope"]
    # All of them may do something, so none is told that there is no such chat.
    assert permit(standing, Deed(deed), relation, LINKS) == SIGNS.get(row[column], NOT_PERMITTED)


@pytest.mark.parametrize("deed", CHAT_DEEDS)
def test_where_public_links_are_off_there_is_no_chat_for_guests(deed: Deed) -> None:
    assert permit(VIEWER, deed, Relation.GUEST) == Hide()


@pytest.mark.parametrize(("deed", "column"), list(product(OTHERS | OUR_OTHERS, OTHER_COLUMNS)))
def test_everything_else_follows_from_what_the_caller_is_to_the_deployment(deed: str, column: str) -> None:
    row = dict(zip(["scope", *OTHER_COLUMNS], (OTHERS | OUR_OTHERS)[deed], strict=True))

    assert scope_of(Deed(deed)) == row["scope"]
    assert permit(OTHER_COLUMNS[column], Deed(deed)) == SIGNS.get(row[column] or "", NOT_PERMITTED)


@pytest.mark.parametrize("deed", CHAT_DEEDS)
@pytest.mark.parametrize("role", [UserRole.AUDITOR, UserRole.MEMBER, UserRole.VIEWER])
def test_for_a_stranger_there_is_no_such_chat(role: UserRole, deed: Deed) -> None:
    assert permit(Standing(role=role), deed, Relation.STRANGER) == Hide()


@pytest.mark.parametrize("deed", CHAT_DEEDS)
def test_where_administrators_read_no_chats_they_still_stop_and_remove_them(deed: Deed) -> None:
    usual = permit(ADMIN, deed, Relation.STRANGER)

    expected: Answer = NOT_PERMITTED if usual == Allow(audited=True) else usual
    assert permit(ADMIN, deed, Relation.STRANGER, NEVER) == expected


@pytest.mark.parametrize("deed", CHAT_DEEDS)
def test_what_an_administrator_is_to_a_chat_counts_first(deed: Deed) -> None:
    as_member = permit(MEMBER, deed, Relation.READER)
    if isinstance(as_member, Allow):
        assert permit(ADMIN, deed, Relation.READER) == as_member


@pytest.mark.parametrize("deed", CHAT_DEEDS)
def test_a_viewer_is_at_most_a_reader(deed: Deed) -> None:
    assert permit(VIEWER, deed, Relation.WRITER) == permit(VIEWER, deed, Relation.READER)
    assert permit(VIEWER, deed, Relation.READER) == permit(MEMBER, deed, Relation.READER)


def test_a_viewer_reads_and_removes_what_they_own_and_nothing_that_costs() -> None:
    may = {deed for deed in CHAT_DEEDS if permit(VIEWER, deed, Relation.OWNER) == Allow()}

    assert {Deed.CHAT_READ, Deed.CHAT_DELETE, Deed.CHAT_STOP} <= may
    assert may.isdisjoint({Deed.CHAT_SPEAK, Deed.CHAT_REWRITE, Deed.CHAT_APPROVE, Deed.CHAT_SHARE})


def test_an_end_user_shares_nothing() -> None:
    may_not = {d for d in CHAT_DEEDS if permit(END_USER, d, Relation.OWNER) == NOT_PERMITTED}

    assert {Deed.CHAT_SHARE, Deed.CHAT_UNSHARE, Deed.CHAT_TRANSFER} <= may_not
    assert permit(END_USER, Deed.CHAT_SPEAK, Relation.OWNER) == Allow()


@pytest.mark.parametrize("deed", CHAT_DEEDS)
@pytest.mark.parametrize("role", UserRole)
def test_with_a_token_for_one_family_of_chats_there_are_no_others(role: UserRole, deed: Deed) -> None:
    for_one = Standing(role=role, family=ChatId("root"))

    for relation in Relation:
        assert permit(for_one, deed, relation, family=ChatId("root")) == permit(
            Standing(role=role), deed, relation
        )
        assert permit(for_one, deed, relation, family=ChatId("other")) == Hide()
        # Somebody forgot to say which one it is.
        assert permit(for_one, deed, relation) == Hide()


def test_a_token_for_one_family_of_chats_is_for_nothing_that_is_not_about_chats() -> None:
    may = {
        d for d in OTHER_DEEDS if permit(Standing(role=UserRole.ADMIN, family=ChatId("root")), d) == Allow()
    }

    assert may == BESIDE_ONE_FAMILY


def test_the_usual_token_is_for_chatting() -> None:
    may = {
        deed
        for deed in Deed
        if isinstance(permit(Standing(role=UserRole.ADMIN, scopes=USUAL_SCOPES), deed, Relation.OWNER), Allow)
    }

    assert {Deed.CHAT_CREATE, Deed.CHAT_SPEAK, Deed.FILE_ADD, Deed.MODEL_LIST} <= may
    assert may.isdisjoint({Deed.ACCOUNT_OWN, Deed.PEOPLE_CHANGE, Deed.CHAT_SHARE, Deed.METRICS_READ})


policies = st.builds(Policy, admins_read_chats=st.sampled_from(AdminsRead), public_links=st.booleans())


@given(standings, st.sampled_from(Deed), st.sampled_from(Relation), policies)
def test_nothing_is_allowed_that_no_cell_allows(
    standing: Standing, deed: Deed, relation: Relation, policy: Policy
) -> None:
    """A token never allows more than its user may do, and nothing is allowed to who is suspended."""
    answer = permit(standing, deed, relation, policy)
    in_full = Standing(role=standing.role, kind=standing.kind, scopes=ALL_SCOPES)

    if isinstance(answer, Allow):
        assert not standing.suspended
        assert scope_of(deed) is None or scope_of(deed) in standing.scopes
        assert permit(in_full, deed, relation, policy) == answer
        assert _is_decided(in_full, deed, relation, answer)
    if isinstance(answer, Refuse) and answer.code == "scope_missing":
        assert answer.scope == scope_of(deed)


def _is_decided(standing: Standing, deed: Deed, relation: Relation, answer: Allow) -> bool:
    """Whether the tables above have this sign in a column of the caller."""
    if deed in OTHER_DEEDS:
        of_end_user = standing.kind is UserKind.END_USER
        column = "end user" if of_end_user else standing.role.value
        row = dict(zip(["scope", *OTHER_COLUMNS], (OTHERS | OUR_OTHERS)[deed], strict=True))
        return SIGNS.get(row[column] or "") == answer
    columns = {relation.value, "admin"} if standing.role is UserRole.ADMIN else {relation.value}
    if standing.role is UserRole.VIEWER and relation is Relation.WRITER:
        columns = {"reader"}
    chat_row = dict(zip(["scope", *CHAT_COLUMNS], (CHATS | OUR_CHATS)[deed], strict=True))
    return any(SIGNS.get(chat_row.get(column, "")) == answer for column in columns)

"""Personal skills on both databases."""

import asyncio

import pytest

from chatd.accounts.users import create_user
from chatd.catalog.skills import SKILLS_MAX, Skills
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.workspace.skill_list import PersonalSkill
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.storage.transactions.transact import Store
from tests.traceability import proves
from tests.words import OWNER


def skill(name: str = "deploy", description: str = "How I ship.", body: str = "Carefully.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


@pytest.fixture
def skills(store: Store) -> Skills:
    return Skills(store)


async def test_a_skill_is_kept_and_listed_without_its_content(skills: Skills) -> None:
    added = await skills.add(OWNER, skill("z"))
    await skills.add(OWNER, skill("a", "First."))

    assert await skills.find(OWNER, "z") == added
    assert added.content == skill("z")
    assert [(each.name, each.content) for each in await skills.all_of(OWNER)] == [("a", ""), ("z", "")]
    assert (await skills.names_of(OWNER))[0] == PersonalSkill(name="a", description="First.")


async def test_what_people_cannot_see_is_not_kept(skills: Skills) -> None:
    added = await skills.add(OWNER, skill(body="Care\u202e\0fully\r\n."))

    assert added.content.endswith("Carefully\n.")


async def test_a_skill_is_replaced_by_one_of_the_same_name(skills: Skills) -> None:
    await skills.add(OWNER, skill())
    changed = await skills.change(OWNER, "deploy", skill(description="Better.", body="Faster."))

    assert (changed.description, await skills.find(OWNER, "deploy")) == ("Better.", changed)


@proves("mcp-skills-hooks", 50)
async def test_another_name_inside_is_refused(skills: Skills) -> None:
    await skills.add(OWNER, skill())

    with pytest.raises(BadInput) as refused:
        await skills.change(OWNER, "deploy", skill("ship"))
    assert refused.value.code == "name_differs"


async def test_a_name_that_is_taken_is_refused(skills: Skills) -> None:
    await skills.add(OWNER, skill())

    with pytest.raises(NotAllowed) as refused:
        await skills.add(OWNER, skill())
    assert refused.value.code == "duplicate_skill"


@pytest.mark.parametrize("name", ["other", "../x", "\0", "x" * 300, "\ud800"])
async def test_one_that_does_not_exist(skills: Skills, name: str) -> None:
    assert await skills.find(OWNER, name) is None
    with pytest.raises(NotFound):
        await skills.delete(OWNER, name)


async def test_changing_one_that_was_deleted_meanwhile_does_not_bring_it_back(skills: Skills) -> None:
    await skills.add(OWNER, skill())
    await skills.delete(OWNER, "deploy")

    with pytest.raises(NotFound):
        await skills.change(OWNER, "deploy", skill())
    assert await skills.all_of(OWNER) == ()


async def test_skills_of_another_user_do_not_exist(skills: Skills, store: Store) -> None:
    other = (await create_user(store.db, "other", UserRole.ADMIN)).id
    await skills.add(OWNER, skill())

    assert await skills.all_of(other) == ()
    assert await skills.find(other, "deploy") is None
    with pytest.raises(NotFound):
        await skills.change(other, "deploy", skill())
    with pytest.raises(NotFound):
        await skills.delete(other, "deploy")
    await skills.add(other, skill())


@proves("mcp-skills-hooks", 49)
async def test_a_user_has_at_most_so_many(skills: Skills) -> None:
    for number in range(SKILLS_MAX - 1):
        await skills.add(OWNER, skill(f"s{number}"))

    async def add(name: str) -> str:
        try:
            await skills.add(OWNER, skill(name))
        except NotAllowed as refused:
            return refused.code
        return "added"

    # There is room for one, and two come at once.
    answers = await asyncio.gather(add("one"), add("two"))

    assert sorted(answers) == ["added", "too_many_skills"]
    assert len(await skills.all_of(UserId(OWNER))) == SKILLS_MAX == 100

"""Attempts to forge an approval, or to get round a rule. Each is named, and stopped."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.approvals.judge import Proposal, Rules, judge
from chatd.approvals.patterns import fits_name
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import RULES_MAX, ApprovalRequest, ApprovalScope, Rule, Touches, Verdict
from chatd.domain.call import CallState
from chatd.domain.ids import BranchId, CallId, ChatId, MessageId
from chatd.domain.part import ToolCall
from chatd.domain.setup import ClientTool
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import Refused
from chatd.settings import RULES_DECLARED_MAX
from chatd.storage.reads.read import read_everything
from chatd.storage.tables.rules import save_user_rules
from chatd.storage.transactions.transact import Store, transact
from chatd.tools.processes import process_tools
from chatd.tools.toolbox import Toolbox
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.words import (
    OWNER,
    allows,
    asks,
    asks_first,
    call,
    client_call,
    denies,
    question,
    said,
    says,
    step,
)
from tests.worker.worlds.judging import Judging, execute, kept, play

ROOT = "/srv/project"
ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
TEST = allows(words="npm test")
ASKS = f"{execute('npm test')}\nnext\nsay Done."


# Over HTTP: whose approval is it, and of which call?


async def a_waiting_chat(client: Client, store: Store, call_id: str = "a") -> str:
    chat = await client.start_chat(client_tools=[{"name": "open_tab"}])
    reply = says("", call(call_id, "execute", {"command": "npm test"}))
    await transact(
        store, ChatId(chat["id"]), step(reply, plans=(asks_first(call_id, TEST),)), RequireAction()
    )
    return f"{CHATS}/{chat['id']}"


def allowing(call_id: str = "a", **more: object) -> dict[str, Any]:
    return {"approvals": [{"tool_call_id": call_id, "decision": "allow", **more}]}


async def states(store: Store, path: str) -> dict[tuple[int, str], CallState]:
    stored = await read_everything(store.db, ChatId(path.rpartition("/")[2]))
    assert stored is not None
    return {(each.message_id, each.id): each.state for each in stored.calls}


async def test_the_call_of_another_chat(client: Client, store: Store) -> None:
    mine, other = await a_waiting_chat(client, store, "mine"), await a_waiting_chat(client, store, "other")

    answer = await client.post(f"{mine}/actions", allowing("other"))

    assert (answer.status, answer.error["code"]) == (400, "unexpected_action")
    for path in (mine, other):
        assert set((await states(store, path)).values()) == {CallState.NEEDS_APPROVAL}


async def test_someone_elses_call(
    client: Client, store: Store, stranger: Client, admin: Client, anonymous: Client
) -> None:
    path = await a_waiting_chat(client, store)

    refused = [
        (await caller.post(f"{path}/actions", allowing(scope="always"))).status
        for caller in (stranger, admin, anonymous)
    ]

    assert refused == [404, 403, 401]
    assert set((await states(store, path)).values()) == {CallState.NEEDS_APPROVAL}
    for caller in (stranger, admin):
        assert (await caller.get("/api/v1/rules")).json["rules"] == []


async def test_the_same_call_twice_in_one_request(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)
    both = [{"tool_call_id": "a", "decision": decision} for decision in ("deny", "allow")]

    answer = await client.post(f"{path}/actions", {"approvals": both})

    assert (answer.status, answer.error["code"]) == (400, "duplicate_action")
    assert set((await states(store, path)).values()) == {CallState.NEEDS_APPROVAL}


async def test_an_approval_after_a_denial(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)
    await client.post(f"{path}/actions", {"approvals": [{"tool_call_id": "a", "decision": "deny"}]})

    answer = await client.post(f"{path}/actions", allowing())

    assert answer.status == 409
    assert set((await states(store, path)).values()) == {CallState.ANSWERED}


async def a_second_call_of_the_same_id(client: Client, store: Store) -> tuple[str, int, int]:
    """The first one was denied. Its message, and that of the one that waits."""
    path = await a_waiting_chat(client, store)
    chat_id = ChatId(path.rpartition("/")[2])
    denial = SubmitActions(actions=(Approval(call_id=CallId("a"), decision=Decision.DENY),))
    again = step(says("", call("a", "execute", {"command": "rm -rf /"})), plans=(asks_first("a", TEST),))
    done = await transact(store, chat_id, denial, again, RequireAction())
    return path, 2, done.appended[-1].id


async def test_a_late_approval_of_an_earlier_call_of_the_same_id(client: Client, store: Store) -> None:
    path, earlier, newest = await a_second_call_of_the_same_id(client, store)

    named = await client.post(f"{path}/actions", allowing(message_id=earlier))
    unnamed = await client.post(f"{path}/actions", allowing())

    assert (named.status, named.error["code"]) == (409, "another_call")
    assert (unnamed.status, unnamed.error["code"]) == (409, "ambiguous_call")
    assert (await states(store, path))[newest, "a"] is CallState.NEEDS_APPROVAL


async def test_a_result_instead_of_an_approval(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    answer = await client.post(f"{path}/actions", {"results": [{"tool_call_id": "a", "output": "ran"}]})

    assert (answer.status, answer.error["code"]) == (400, "wrong_action")


async def test_an_approval_of_what_is_not_for_us_to_run(client: Client, store: Store) -> None:
    chat = await client.start_chat(client_tools=[{"name": "open_tab"}])
    reply = step(says("", client_call("tab"), call("ask")), plans=(question("ask"),))
    await transact(store, ChatId(chat["id"]), reply, RequireAction())

    for call_id in ("tab", "ask"):
        answer = await client.post(f"{CHATS}/{chat['id']}/actions", allowing(call_id))
        assert (answer.status, answer.error["code"]) == (400, "wrong_action")


async def test_an_approval_for_always_of_a_call_of_which_no_rule_can_be_made(
    client: Client, store: Store
) -> None:
    chat = await client.start_chat()
    unsure = replace(asks_first("a"), request=ApprovalRequest(unsure="it runs `$x`"))
    await transact(store, ChatId(chat["id"]), step(says("", call("a")), plans=(unsure,)), RequireAction())

    answer = await client.post(f"{CHATS}/{chat['id']}/actions", allowing(scope="always"))

    assert (answer.status, answer.error["code"]) == (400, "no_rule")
    assert (await client.get("/api/v1/rules")).json["rules"] == []


async def test_rules_of_ones_own_in_the_approval(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    answer = await client.post(
        f"{path}/actions", allowing(scope="always", rules=[{"verdict": "allow"}], tool_name="*")
    )

    assert answer.status == 400
    assert (await client.get("/api/v1/rules")).json["rules"] == []


async def test_ten_thousand_rules(client: Client) -> None:
    body = {"verdict": "allow"}
    for number in range(RULES_MAX):
        assert (await client.post("/api/v1/rules", body | {"tool": f"tool {number}"})).status == 201

    refused = [
        (await client.post("/api/v1/rules", body | {"tool": f"another {number}"})).status
        for number in range(10)
    ]

    assert set(refused) == {429}
    assert len((await client.get("/api/v1/rules")).json["rules"]) == RULES_MAX


@pytest.mark.parametrize(
    "rule",
    [
        {"words": ["*" * 1001]},
        {"words": ["a*" * 400] * 3},
        {"paths": ["**/" * 900]},
        {"tool": "*" * 201},
        {"workspace": "?" * 1001},
    ],
    ids=["a word", "many words", "folders", "a tool", "a workspace"],
)
async def test_a_rule_with_a_huge_pattern(client: Client, rule: dict[str, Any]) -> None:
    assert (await client.post("/api/v1/rules", {"verdict": "allow", **rule})).status == 400


async def test_a_client_tool_with_the_name_of_a_tool_of_the_server(store: Store) -> None:
    """So that the client's word would be taken for a result of ours: the name is ours, and judged."""
    ours = process_tools(MovedClock())
    toolbox = Toolbox(ours, [ClientTool(name="execute"), ClientTool(name="Execute")])
    made = ToolCall(tool_call_id=CallId("a"), tool_name="execute", args={"command": "ls"})

    assert toolbox.kind(made) == "local"
    assert toolbox.plan(made).ours
    # Another case is another name: the client's own, which the server never runs.
    assert toolbox.kind(replace(made, tool_name="Execute")) == "client"


# In the engine: does anything run?


def test_a_tool_under_a_name_in_another_case_or_script() -> None:
    async def story(world: Judging) -> None:
        names = ["Execute", "EXECUTE", "execute\u200b", "\u0435xecute", "\uff45xecute"]
        calls = [f'call @c{n} {name} {{"command": "ls"}}' for n, name in enumerate(names)]
        await world.open("\n".join(calls) + "\nnext\nsay Oh.")
        await world.until_idle()

        assert world.witness.lines == []
        assert all("error" in result for result in (await world.results()).values())

    # Even where all of them would be allowed.
    play(story, rules=Rules(asks=False))


def test_arguments_with_the_same_key_twice() -> None:
    async def story(world: Judging) -> None:
        await world.open(
            'call @a execute raw {"command": "git status", "command": "rm -rf x"}\nnext\nsay Oh.'
        )
        await world.until_idle()

        assert world.witness.lines == []

    play(story, rules=Rules(deployment=(allows(words="git status"),)))


def test_an_approval_after_a_stop() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.tell(Interrupt())
        await world.until_idle()

        with pytest.raises(Refused):
            await world.answer(scope=ApprovalScope.ALWAYS)
        await world.send("say And now?")
        await world.until_idle()
        assert world.witness.lines == []

    play(story)


def test_an_approval_after_an_edit() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Instead.")))

        with pytest.raises(Refused):
            await world.answer()
        await world.until_idle()
        assert world.witness.lines == []

    play(story)


def test_other_arguments_under_the_same_id_after_an_edit() -> None:
    """The approval was meant for what was said before the edit."""

    async def story(world: Judging) -> None:
        await world.open(ASKS)
        (before,) = await world.until_asked()
        edited = said(execute("rm -rf x"))
        await world.tell(EditMessage(message_id=MessageId(1), content=edited))
        await world.until(lambda chat: chat.status == "requires_action")

        with pytest.raises(Refused, match="over"):
            await world.answer(message_id=before.message_id)
        with pytest.raises(Refused, match="must name its message"):
            await world.answer()
        assert world.witness.lines == []

    play(story)


def test_an_approval_after_going_back_to_the_branch_of_the_call() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Instead.")))
        await world.until_idle()
        await world.tell(SwitchBranch(branch=BranchId(1)))

        with pytest.raises(Refused):
            await world.answer()
        await world.send("say Go on.")
        await world.until_idle()
        assert "did not run" in (await world.results())["a"]
        assert world.witness.lines == []

    play(story)


def test_a_rule_of_the_user_and_of_the_chat_against_one_of_the_server() -> None:
    async def story(world: Judging) -> None:
        await save_user_rules(world.db, OWNER, kept(allows(words="npm *")), kept(Rule(verdict=ALLOW)))
        await world.open(ASKS)
        await world.until_idle()

        assert world.witness.lines == []

    play(story, rules=Rules(deployment=(denies(words="npm *"),)))


def test_a_denied_command_behind_another_tool_name_of_the_same_effect() -> None:
    """A process that reads from its input could be told anything, so its input is always asked for."""
    (found,) = (tool for tool in process_tools(MovedClock()) if tool.name == "process_input")

    assert found.touches is None
    assert verdict(Proposal(tool="process_input"), allows("execute")) is ASK


# In the judge: what a rule lets pass.


def verdict(proposal: Proposal, *rules: Rule) -> Verdict:
    return judge(Rules(user=rules), proposal).verdict


def command(text: str) -> Proposal:
    return Proposal(tool="execute", touches=Touches(commands=(text,)), workspace=ROOT)


SMUGGLED: Mapping[str, str] = {
    "behind a semicolon": "git status; rm -rf x",
    "in an argument": "git status $(rm -rf x)",
    "in a quoted argument": 'git status "`rm -rf x`"',
    "in the next line": "git status\nrm -rf x",
    "as a variable for the program": "GIT_EXTERNAL_DIFF=rm git status",
    "as the pager": "env GIT_PAGER='rm -rf x' git status",
    "as another program of that name": "./git status",
    "on another path": "PATH=/tmp/evil git status",
    "as an alias of the option": "git -c alias.status='!rm -rf x' status",
    "as a function": "git() { rm -rf x; }; git status",
    "behind a wrapper": "xargs -a list git status",
    "by find": "find . -exec git status {} +",
    "in another shell": "bash -c 'git status; rm -rf x'",
    "as a variable in place of a word": "git $x",
    "with a pattern in place of the program": "g?t status",
    "as a here document": "sh <<END\nrm -rf x\nEND",
    "with an escaped name": "g\\it stat\\us; r\\m x",
    "with a quoted name": "'r''m' -rf x; git status",
    "with look-alike letters": "g\u0456t status",
    "with a zero-width space": "git\u200b status",
    "with a right-to-left mark": "git status \u202e; rm x",
    "with a no-break space": "git\u00a0status; rm x",
    "with a carriage return": "git status\rrm -rf x; rm x",
}


@pytest.mark.parametrize("text", SMUGGLED.values(), ids=SMUGGLED)
def test_a_program_smuggled_past_the_rule_for_git_status(text: str) -> None:
    assert verdict(command(text), allows(words="git status"), allows(words="git status -s")) is not ALLOW


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf x",
        "'rm' -rf x",
        "r\\m -rf x",
        '"r"m -rf x',
        "command rm -rf x",
        "true && rm -rf x",
        "/bin/rm -rf x",
        "../../bin/rm -rf x",
        "X=1 rm -rf x",
        "X=1 Y=2 /bin/rm -rf x",
        "env X=1 rm -rf x",
        "time X=1 rm -rf x",
        "trap -- 'rm -rf x' EXIT",
        "flock lock rm -rf x",
        "taskset -c 0 rm -rf x",
        "toybox rm -rf x",
        "rm $words",
        "rm -rf *",
    ],
)
def test_a_spelling_of_a_program_that_is_denied(text: str) -> None:
    assert verdict(command(text), denies(words="rm *"), allows()) is DENY


@pytest.mark.parametrize(
    "text",
    [
        "git push",
        "git push origin main",
        "git -C . push",
        "git -c push.default=current push",
        "git --no-pager push",
        "git --git-dir .git --work-tree=. push --force",
        "GIT_DIR=.git git push",
        "/usr/bin/git -C . push",
    ],
)
def test_a_command_of_git_that_is_denied_behind_options_of_git(text: str) -> None:
    assert verdict(command(text), denies(words="git push *"), allows(words="git *"), allows()) is DENY


@pytest.mark.parametrize("text", ["git $what", 'git "$what" origin', "git p*", "git -C . $(what)"])
def test_a_word_that_may_become_the_one_that_is_denied(text: str) -> None:
    judgement = judge(Rules(user=(denies(words="git push *"), allows())), command(text))

    assert judgement.verdict is ASK
    assert judgement.request is not None
    assert judgement.request.unsure is not None
    assert judgement.request.scopes == ()


@pytest.mark.parametrize(
    "text", ["git status $x", "git commit -m $x", "ls *", "git s*", "pushd $x", "X=1 ls"]
)
def test_a_word_that_cannot_become_the_one_that_is_denied_is_not_asked_for(text: str) -> None:
    assert verdict(command(text), denies(words="git push *"), allows()) is ALLOW


@pytest.mark.parametrize(
    "text",
    [
        "eval 'sudo x'",
        "true &> /dev/null; sudo x",
        "[[ a ]]; sudo x",
        "git $what",
        "cat < $file",
        "sh x.sh; a=(",
    ],
)
def test_what_cannot_be_read_where_nobody_is_asked_and_something_is_denied(text: str) -> None:
    denied = (denies(words="sudo *"), denies(words="git push *"), denies("*", paths=(".env",)))

    judgement = judge(Rules(deployment=denied, asks=False), command(text))

    assert judgement.verdict is DENY
    assert "cannot be read surely" in (judgement.reason or "")
    # Where nothing is denied, there is nothing to lead around.
    assert judge(Rules(asks=False), command(text)).verdict is ALLOW


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "./.env",
        "src/../.env",
        "src//..///.env",
        ".env/",
        ".env/.",
        f"{ROOT}/.env",
        "//srv/project/.env",
        "/srv/../srv/project/src/../.env",
        "../project/.env",
    ],
)
def test_a_spelling_of_a_path_that_is_denied(path: str) -> None:
    rules = (denies("*", paths=(".env", "**/.env")), allows("*", paths=("**",)))

    reads = Proposal(tool="read_file", touches=Touches(reads=(path,)), workspace=ROOT)
    writes = Proposal(tool="write_file", touches=Touches(writes=(path,)), workspace=ROOT)
    assert verdict(reads, *rules) is DENY
    assert verdict(writes, *rules) is DENY
    assert verdict(command(f"echo x > '{path}'"), *rules) is DENY


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", "src/../../other", "/srv/project2/a", "/srv"])
def test_a_way_out_of_the_workspace_past_a_rule_that_allows_everything_in_it(path: str) -> None:
    proposal = Proposal(tool="write_file", touches=Touches(writes=(path,)), workspace=ROOT)

    assert verdict(proposal, allows("*"), allows("*", paths=("**",))) is DENY


def test_a_wildcard_in_a_command_that_was_approved_for_always() -> None:
    request = judge(Rules(), command("rm '*.log' '[a]'")).request
    assert request is not None

    assert verdict(command("rm '*.log' '[a]'"), *request.rules) is ALLOW
    assert verdict(command("rm x.log a"), *request.rules) is ASK
    assert verdict(command("rm '*.log' a"), *request.rules) is ASK


def test_a_workspace_whose_name_is_a_pattern() -> None:
    star = replace(command("ls"), workspace="/srv/*")
    request = judge(Rules(), star).request
    assert request is not None

    assert verdict(star, *request.rules) is ALLOW
    assert verdict(command("ls"), *request.rules) is ASK


def test_a_rule_that_asks_is_not_answered_away_by_one_behind_it() -> None:
    request = judge(Rules(deployment=(asks(words="ls"),)), command("ls")).request
    assert request is not None

    assert request.scopes == ()


def test_a_name_that_only_looks_like_a_program_is_shown_for_what_it_is() -> None:
    request = judge(Rules(), command("g\u0456t status")).request
    assert request is not None

    assert request.programs == (("g\\u0456t", "status"),)


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x1b[8m", "\x7f"])
def test_characters_that_hide_a_part_of_a_command_from_the_person_who_is_asked(hidden: str) -> None:
    request = judge(Rules(user=(allows(),)), command(f"echo '{hidden}x'")).request
    assert request is not None

    assert request.unsure == "it has invisible characters"
    assert request.scopes == ()


def test_patterns_made_to_take_forever() -> None:
    """They take a time in proportion to pattern and text, so these end at once."""
    text = "a" * 5000

    for pattern in (
        "a*" * 100 + "b",
        "*" * 500 + "b",
        "*a" * 300 + "b",
        "[a]*" * 100 + "b",
        "?*" * 200 + "b",
    ):
        assert not fits_name(pattern, text)


def test_so_much_at_once_that_no_rule_is_tried_on_all_of_it() -> None:
    paths = tuple(f"src/{n}" for n in range(5000))
    much = Proposal(tool="write_file", touches=Touches(writes=(*paths, "/etc/passwd")), workspace=ROOT)

    assert verdict(much, allows("*", paths=("**",))) is ASK


def test_more_rules_than_a_deployment_may_declare() -> None:
    rules = tuple(denies(words=f"x{n} *") for n in range(RULES_DECLARED_MAX))

    assert judge(Rules(deployment=(*rules, denies(words="rm *"))), command("rm x")).verdict is DENY

"""Which calls may run, are asked for, or are denied."""

import pytest
from msgspec.structs import replace

from chatd.approvals.judge import CLAIMS_MAX, TOO_MUCH, Judgement, Proposal, Rules, judge
from chatd.domain.approvals.rule import Rule, Touches, Verdict

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
ROOT = "/srv/project"


def command(text: str, *, tool: str = "execute") -> Proposal:
    return Proposal(tool=tool, touches=Touches(commands=(text,)), workspace=ROOT)


def writing(*paths: str) -> Proposal:
    return Proposal(tool="write_file", touches=Touches(writes=paths), workspace=ROOT)


def reading(*paths: str) -> Proposal:
    return Proposal(tool="read_file", touches=Touches(reads=paths), workspace=ROOT)


def rule(verdict: Verdict, words: str = "", *, tool: str = "execute", paths: tuple[str, ...] = ()) -> Rule:
    return Rule(verdict=verdict, tool=tool, words=tuple(words.split()), paths=paths)


def verdict(proposal: Proposal, *rules: Rule) -> Verdict:
    return judge(Rules(user=rules), proposal).verdict


def test_without_rules_reading_is_allowed_changes_are_asked_for_and_the_outside_is_denied() -> None:
    assert verdict(reading("src/a.py")) is ALLOW
    assert verdict(writing("src/a.py")) is ASK
    assert verdict(command("ls")) is ASK
    assert verdict(reading("../other/a.py")) is DENY
    assert verdict(writing("/etc/passwd")) is DENY
    assert verdict(command("ls > /etc/passwd")) is DENY


def test_a_tool_that_does_not_tell_what_it_touches_is_asked_for_and_one_that_touches_nothing_is_not() -> None:
    assert verdict(Proposal(tool="github__search")) is ASK
    assert verdict(Proposal(tool="github__search"), rule(ALLOW, tool="github__*")) is ALLOW
    assert verdict(Proposal(tool="think", touches=Touches())) is ALLOW
    assert verdict(Proposal(tool="think", touches=Touches()), rule(DENY, tool="think")) is DENY


def test_the_first_rule_that_fits_decides() -> None:
    assert verdict(command("git push"), rule(ALLOW, "git *"), rule(DENY, "git push")) is ALLOW
    assert verdict(command("git push"), rule(DENY, "git push"), rule(ALLOW, "git *")) is DENY
    assert verdict(command("git push"), rule(ASK, "git push *"), rule(ALLOW, "git *")) is ASK


def test_the_deployments_rules_come_first_then_the_users_then_the_chats() -> None:
    allow, deny = (rule(ALLOW, "ls"),), (rule(DENY, "ls"),)

    assert judge(Rules(deployment=deny, user=allow, chat=allow), command("ls")).verdict is DENY
    assert judge(Rules(user=allow, chat=deny), command("ls")).verdict is ALLOW
    assert judge(Rules(chat=allow), command("ls")).verdict is ALLOW


def test_every_program_of_a_command_must_be_allowed_and_one_that_is_denied_denies() -> None:
    status = rule(ALLOW, "git status *")

    assert verdict(command("git status"), status) is ALLOW
    assert verdict(command("git status; rm -rf x"), status) is ASK
    assert verdict(command("git status $(rm -rf x)"), status) is ASK
    assert verdict(command("git status && git status -s"), status) is ALLOW
    assert verdict(command("git status; rm -rf x"), status, rule(DENY, "rm *")) is DENY


def test_a_wrapper_is_allowed_with_what_it_runs_unless_it_gives_other_rights() -> None:
    status = rule(ALLOW, "git status *")

    assert verdict(command("timeout 5 git status"), status) is ALLOW
    assert verdict(command("sh -c 'git status'"), status) is ALLOW
    assert verdict(command("sudo git status"), status) is ASK
    assert verdict(command("./env git status"), status) is ASK
    assert verdict(command("timeout 5 git status"), rule(DENY, "timeout *"), status) is DENY


@pytest.mark.parametrize("text", ["$x", "eval ls", "ls '", "[[ a ]]", "ls $((a))"])
def test_no_rule_allows_a_command_that_is_unsure(text: str) -> None:
    assert verdict(command(text), rule(ALLOW), rule(ALLOW, "*"), rule(ALLOW, tool="*")) is ASK
    assert verdict(command(f"rm x; {text}"), rule(DENY, "rm *"), rule(ALLOW)) is DENY


def test_a_variable_before_a_program_is_one_of_its_words() -> None:
    assert verdict(command("GIT_PAGER=rm git log"), rule(ALLOW, "git *")) is ASK
    assert verdict(command("PATH=. ; git log"), rule(ALLOW, "git *")) is ASK
    assert verdict(command("NO_COLOR=1 git log"), rule(ALLOW, "NO_COLOR=1 git *")) is ALLOW


def test_a_file_that_the_shell_opens_is_judged_as_a_path() -> None:
    echo, src = rule(ALLOW, "echo *"), rule(ALLOW, tool="execute", paths=("src/**",))

    assert verdict(command("echo x > src/a"), echo) is ASK
    assert verdict(command("echo x > src/a"), echo, src) is ALLOW
    assert verdict(command("echo x < src/a"), echo) is ALLOW
    assert verdict(command("echo x > $y"), echo, rule(ALLOW)) is ASK
    assert verdict(command("cd / && echo x > src/a"), echo, src, rule(ALLOW, "cd *")) is ASK


def test_a_file_that_the_shell_opens_is_seen_from_where_the_command_runs() -> None:
    def within(directory: str, text: str = "echo x > a") -> Proposal:
        return replace(command(text), touches=Touches(commands=(text,), directory=directory))

    rules = (rule(ALLOW, "echo *"), rule(ALLOW, tool="execute", paths=("a",)))

    assert verdict(within(""), *rules) is ALLOW
    assert verdict(within("src"), *rules) is ASK
    assert verdict(within("src", "echo x > ../a"), *rules) is ALLOW
    assert verdict(within(".."), *rules) is DENY


def test_a_rule_for_a_tool_reaches_outside_only_if_it_names_the_place() -> None:
    assert verdict(writing("/srv/x"), rule(ALLOW, tool="write_file")) is DENY
    assert verdict(writing("/srv/x"), rule(ALLOW, tool="write_file", paths=("**",))) is DENY
    assert verdict(writing("/srv/x"), rule(ALLOW, tool="write_file", paths=("/srv/*",))) is ALLOW


def test_a_rule_may_be_for_one_workspace() -> None:
    here = replace(rule(ALLOW, "ls"), workspace=ROOT)

    assert verdict(command("ls"), here) is ALLOW
    assert verdict(replace(command("ls"), workspace="/other"), here) is ASK
    assert verdict(replace(command("ls"), workspace=None), here) is ASK


def test_where_asking_is_turned_off_what_would_be_asked_for_is_allowed_and_the_rest_denied() -> None:
    rules = Rules(asks=False, deployment=(rule(DENY, "rm *"),))

    assert judge(rules, command("ls; make all")).verdict is ALLOW
    assert judge(rules, command("rm x")).verdict is DENY
    assert judge(rules, writing("/etc/passwd")).verdict is DENY


def test_a_denial_says_what_is_not_allowed_and_by_whom() -> None:
    def reason(rules: Rules, proposal: Proposal) -> str | None:
        return judge(rules, proposal).reason

    deny = (rule(DENY, "rm *"),)
    assert reason(Rules(user=deny), command("ls; rm x")) == "The rules of the user do not allow `rm x`."
    assert reason(Rules(), writing("/etc/x")) == (
        "The usual rules do not allow `/etc/x`, outside of the workspace."
    )
    assert len(reason(Rules(user=deny), command("rm " + "x" * 5000)) or "") < 500


def made_by(proposal: Proposal) -> tuple[Rule, ...]:
    request = judge(Rules(), proposal).request
    assert request is not None
    return request.rules


def test_a_person_is_shown_programs_and_paths() -> None:
    request = judge(Rules(), command("git add a && git commit -m 'a b' > log")).request

    assert request is not None
    assert request.programs == (("git", "add", "a"), ("git", "commit", "-m", "a b"))
    assert request.unsure is None
    edits = judge(Rules(), writing("./src/a", f"{ROOT}/b")).request
    assert edits is not None
    assert edits.writes == ("src/a", "b")


def test_a_person_is_shown_the_files_that_the_shell_opens_as_far_as_they_are_known() -> None:
    text = (
        "sort < in.txt > out.txt 2>> src/../log.txt 2>&1 && echo done > out.txt; ls > /dev/null; ls > $WHERE"
    )
    request = judge(Rules(), command(text)).request

    assert request is not None
    assert (request.reads, request.writes) == (("in.txt",), ("out.txt", "log.txt"))
    assert request.unsure is not None


def test_a_file_that_the_shell_opens_elsewhere_is_shown_from_the_root_of_the_workspace() -> None:
    inside = Proposal(
        tool="execute", touches=Touches(commands=("echo x > a.txt",), directory="src"), workspace=ROOT
    )
    request = judge(Rules(), inside).request
    assert request is not None
    assert request.writes == ("src/a.txt",)


def test_the_rules_that_an_answer_makes_allow_this_call_and_hardly_more() -> None:
    call = command("git add 'a*b' && ls")
    made = made_by(call)

    assert verdict(call, *made) is ALLOW
    assert verdict(command("git add a*b && ls"), *made) is ASK
    assert verdict(command("git add aXb && ls"), *made) is ASK
    assert verdict(command("git add 'a*b' -f && ls"), *made) is ASK
    assert verdict(command("ls", tool="other"), *made) is ASK
    assert verdict(replace(command("ls"), workspace="/other"), *made) is ASK


def test_for_a_path_its_folder_is_allowed_and_no_folder_below() -> None:
    made = made_by(writing("src/a.py"))

    assert verdict(writing("src/b.py"), *made) is ALLOW
    assert verdict(writing("src/x/b.py"), *made) is ASK
    assert verdict(writing("b.py"), *made) is ASK
    assert made_by(writing("a.py"))[0].paths == ("*",)


def test_what_is_allowed_already_makes_no_rule() -> None:
    request = judge(Rules(user=(rule(ALLOW, "ls"),)), command("ls; rm x")).request

    assert request is not None
    assert [made.words for made in request.rules] == [("rm", "x")]


@pytest.mark.parametrize("text", ["ls $x", "eval ls", "ls > $y"])
def test_no_rule_is_made_of_what_is_not_known(text: str) -> None:
    assert made_by(command(text)) == ()


def test_a_call_for_which_all_rules_would_take_too_long_is_denied_also_where_nothing_is_asked() -> None:
    many = tuple(rule(ALLOW, tool="*", paths=tuple(f"{n}/{k}/**" for k in range(20))) for n in range(200))
    much = writing(*(f"src/{n}" for n in range(CLAIMS_MAX)))

    for asks in (True, False):
        judgement = judge(Rules(user=many, asks=asks), much)
        assert (judgement.verdict, judgement.reason) == (DENY, TOO_MUCH)
    assert judge(Rules(user=many), writing("src/1")).verdict is ASK


def test_the_same_thing_is_judged_once() -> None:
    once, often = command("ls"), command("; ".join(["ls"] * 150))

    assert made_by(once) == made_by(often)


def test_a_call_that_touches_very_much_is_asked_for_whatever_the_rules() -> None:
    much = writing(*(f"src/{n}" for n in range(CLAIMS_MAX + 1)))

    judgement: Judgement = judge(Rules(user=(rule(ALLOW, tool="*", paths=("**",)),)), much)

    assert judgement.verdict is ASK
    assert judgement.request is not None
    assert judgement.request.rules == ()


def asking(*hosts: str) -> Proposal:
    return Proposal(tool="fetch_url", touches=Touches(hosts=hosts), workspace=ROOT)


def for_hosts(verdict: Verdict, *hosts: str, tool: str = "fetch_url") -> Rule:
    return Rule(verdict=verdict, tool=tool, hosts=hosts)


def test_a_host_is_asked_for_and_a_rule_may_name_it() -> None:
    docs = for_hosts(ALLOW, "docs.python.org")

    assert verdict(asking("docs.python.org")) is ASK
    assert verdict(asking("docs.python.org"), docs) is ALLOW
    assert verdict(asking("evil.example"), docs) is ASK
    assert verdict(asking("docs.python.org.evil.example"), docs) is ASK
    assert verdict(asking("docs.python.org", "evil.example"), docs) is ASK
    assert verdict(asking("a.b.python.org"), for_hosts(ALLOW, "*.python.org")) is ALLOW
    assert verdict(asking("notpython.org"), for_hosts(ALLOW, "*.python.org")) is ASK
    assert verdict(asking("anything.example"), for_hosts(ALLOW, "*")) is ALLOW
    assert verdict(asking("docs.python.org"), for_hosts(ALLOW, "DOCS.Python.org")) is ALLOW


def test_a_rule_that_names_no_host_lets_nothing_out() -> None:
    assert verdict(asking("docs.python.org"), rule(ALLOW, tool="*"), rule(ALLOW, tool="fetch_url")) is ASK
    assert verdict(asking("docs.python.org"), rule(DENY, tool="fetch_url")) is DENY
    assert verdict(asking("docs.python.org"), rule(ALLOW, tool="fetch_url", paths=("**",))) is ASK
    assert verdict(reading("a"), for_hosts(DENY, "*", tool="*")) is ALLOW


def test_a_rule_that_allows_a_host_is_for_its_usual_port_and_one_that_denies_it_for_all() -> None:
    assert verdict(asking("docs.python.org:8443"), for_hosts(ALLOW, "docs.python.org")) is ASK
    assert verdict(asking("docs.python.org:8443"), for_hosts(ALLOW, "docs.python.org:8443")) is ALLOW
    assert verdict(asking("docs.python.org:8443"), for_hosts(DENY, "docs.python.org")) is DENY
    assert verdict(asking("[2001:db8::1]"), for_hosts(DENY, "[[]2001:db8:")) is ASK


def test_the_answer_for_a_host_makes_a_rule_for_it_in_every_workspace() -> None:
    request = judge(Rules(), asking("docs.python.org")).request

    assert request is not None
    assert request.hosts == ("docs.python.org",)
    assert request.rules == (for_hosts(ALLOW, "docs.python.org"),)
    assert str(request.rules[0]) == "allow calls of `fetch_url` for the host `docs.python.org`"
    elsewhere = replace(asking("docs.python.org"), workspace="/srv/other")
    assert verdict(elsewhere, *request.rules) is ALLOW


def test_the_answer_for_a_numeric_host_is_for_that_alone() -> None:
    request = judge(Rules(), asking("[2001:db8::1]")).request

    assert request is not None
    assert verdict(asking("[2001:db8::1]"), *request.rules) is ALLOW
    assert verdict(asking("2"), *request.rules) is ASK


def test_a_denial_of_a_host_says_which() -> None:
    judged = judge(Rules(deployment=(for_hosts(DENY, "*.evil.example"),)), asking("www.evil.example"))

    assert judged.reason == "The rules of this server do not allow the host `www.evil.example`."


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git",
        "vendor/lib/.git/config",
        ".GIT/config",
        "src/../.git/config",
        ".husky/pre-commit",
        ".vscode/tasks.json",
        ".mcp.json",
        "AGENTS.md",
        "web/CLAUDE.md",
        "skills/deploy/SKILL.md",
    ],
)
def test_a_change_of_a_file_that_makes_programs_or_agents_do_something_is_asked_for_each_time(
    path: str,
) -> None:
    everything = rule(ALLOW, tool="*", paths=("**", "*", ".git/**", ".git/*"))
    judgement = judge(Rules(user=(everything, rule(ALLOW, tool="*"))), writing(path))

    assert judgement.verdict is ASK
    assert judgement.request is not None
    assert judgement.request.danger is not None
    # It can be allowed once, and no answer makes a rule of it.
    assert (judgement.request.rules, judgement.request.scopes) == ((), ())
    assert verdict(reading(path), everything) is ALLOW


def test_only_a_rule_that_names_the_file_allows_it() -> None:
    named = rule(ALLOW, tool="write_file", paths=("AGENTS.md",))

    assert verdict(writing("AGENTS.md"), named) is ALLOW
    assert verdict(writing("web/AGENTS.md"), named) is ASK


def test_a_command_that_redirects_to_such_a_file_is_asked_for_whatever_rules_allow_its_program() -> None:
    allowed = (rule(ALLOW, "echo *"), rule(ALLOW, paths=("**",)))

    assert verdict(command("echo x > notes"), *allowed) is ALLOW
    assert verdict(command("echo x >> .git/hooks/pre-commit"), *allowed) is ASK


@pytest.mark.parametrize(
    "text",
    [
        "cat < /dev/tcp/192.0.2.1/80",
        "exec 3<>/dev/tcp/192.0.2.1/80",
        "bash -c 'cat < /dev/tcp/192.0.2.1/80'",
        "echo x > /dev/udp/192.0.2.1/53",
    ],
)
def test_a_connection_that_the_shell_itself_would_open_is_denied_also_where_nothing_is_asked(
    text: str,
) -> None:
    judgement = judge(Rules(user=(rule(ALLOW),), asks=False), command(text))

    assert judgement.verdict is DENY
    assert judgement.reason is not None
    assert "outside of the workspace" in judgement.reason

"""Whether a call may run: the rules in their order, for each thing that the call would touch (pure).

The first rule that fits decides. Of a command every program is judged, and every file that the shell opens
for it: one that is denied denies the call, and all must be allowed for the call to be.
"""

from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, isabs, join

from msgspec import Struct
from msgspec.structs import replace

from chatd.approvals.dangers import danger_of
from chatd.approvals.patterns import (
    exactly,
    fits_host,
    fits_name,
    fits_path,
    fits_words,
    may_fit_words,
    place_of,
)
from chatd.approvals.shell.changes import changed_files
from chatd.approvals.shell.parse import parse_command
from chatd.approvals.shell.script import Program, Redirect, Script, Word
from chatd.approvals.shell.spellings import spellings
from chatd.domain.approvals.rule import ApprovalRequest, ApprovalScope, Rule, Touches, Verdict
from chatd.kit.text import shortened, visible_json

# What one call may touch; more is asked for as a whole.
CLAIMS_MAX = 500
# Patterns that are compared for one call: what it touches times what the rules have. Some 0.3 s.
WORK_MAX = 400_000
_MAY_BE = "it is not known before it runs whether a rule is against it"
_NOT_READ = "This command cannot be read surely: {why}. Some are denied here, so write it in a plainer way."
TOO_MUCH = "This call does too much at once for all rules to be tried on it. Do it in several calls."
# That the answer to one call may make; of a call that does more, none are made.
RULES_OF_ANSWER_MAX = 20
# What a refusal says of the thing that is not allowed.
_SHOWN_CHARACTERS_MAX = 300
# After these, a relative path may be anywhere.
_CHANGES_DIRECTORY = frozenset({"cd", "chdir", "pushd", "popd"})


class Rules(Struct, frozen=True, kw_only=True):
    """All rules that count for a chat, in their order, and whether people are asked at all."""

    deployment: tuple[Rule, ...] = ()
    user: tuple[Rule, ...] = ()
    chat: tuple[Rule, ...] = ()
    asks: bool = True


class Proposal(Struct, frozen=True, kw_only=True):
    """A call that a model wants to be made. `touches` is None of a tool that does not tell."""

    tool: str
    touches: Touches | None = None
    # The root of the workspace.
    workspace: str | None = None
    # Paths in there that git takes programs from, beside those that are known by their names.
    run_by_git: tuple[str, ...] = ()


class Judgement(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    # For the model, of a call that is denied.
    reason: str | None = None
    # For a person, of a call that is asked for.
    request: ApprovalRequest | None = None


class _Claim(Struct, frozen=True, kw_only=True):
    """One thing that a call would touch."""

    shown: str
    # What counts when no rule fits.
    default: Verdict
    words: tuple[Word, ...] = ()
    # The same program in the ways that rules against it know it by.
    spellings: tuple[tuple[Word, ...], ...] = ()
    path: str | None = None
    host: str | None = None
    unsure: str | None = None
    # Why a change of this file is asked for, whatever rules allow others around it.
    danger: str | None = None


class _Counting(Struct, frozen=True):
    rule: Rule
    # Whose rule it is.
    by: str


class _Judged(Struct, frozen=True):
    claim: _Claim
    verdict: Verdict
    by: str


def judge(rules: Rules, proposal: Proposal) -> Judgement:
    scripts = [parse_command(text) for text in proposal.touches.commands] if proposal.touches else []
    counting, claims = _counting(rules, proposal), _claims(proposal, scripts)
    if len(claims) * sum(_patterns(each.rule) for each in counting) > WORK_MAX:
        return Judgement(verdict=Verdict.DENY, reason=TOO_MUCH)
    judged = [_first_match(counting, claim) for claim in claims]
    denied = next((each for each in judged if each.verdict is Verdict.DENY), None)
    if denied is not None:
        return Judgement(verdict=Verdict.DENY, reason=_refusal(denied))
    asked = [each.claim for each in judged if each.verdict is Verdict.ASK]
    if not rules.asks and (why := _unsure(asked)) is not None and any(map(_is_against_some, counting)):
        # Nobody would look at what the rules could not.
        return Judgement(verdict=Verdict.DENY, reason=_NOT_READ.format(why=why))
    if not asked or not rules.asks:
        return Judgement(verdict=Verdict.ALLOW)
    return Judgement(verdict=Verdict.ASK, request=_request(rules, proposal, scripts, asked))


def _refusal(denied: _Judged) -> str:
    return f"{denied.by} do not allow {shortened(denied.claim.shown, _SHOWN_CHARACTERS_MAX)}."


def _counting(rules: Rules, proposal: Proposal) -> list[_Counting]:
    """The rules for this tool and this workspace, in their order."""
    sources = (
        ("The rules of this server", rules.deployment),
        ("The rules of the user", rules.user),
        ("The rules of this chat", rules.chat),
    )
    return [
        _Counting(rule, by)
        for by, listed in sources
        for rule in listed
        if fits_name(rule.tool, proposal.tool)
        and (not rule.workspace or fits_name(rule.workspace, proposal.workspace or ""))
    ]


def _patterns(rule: Rule) -> int:
    return 1 + len(rule.words) + len(rule.paths) + len(rule.hosts)


def _is_against_some(counting: _Counting) -> bool:
    rule = counting.rule
    return rule.verdict is Verdict.DENY and bool(rule.words or rule.paths)


def _unsure(claims: Iterable[_Claim]) -> str | None:
    return next((claim.unsure for claim in claims if claim.unsure), None)


def _first_match(counting: Iterable[_Counting], claim: _Claim) -> _Judged:
    for each in counting:
        if _fits(each.rule, claim):
            return _Judged(claim, each.rule.verdict, each.by)
        if claim.words and _may_be_against(each.rule, claim):
            # What comes after it allows nothing any more.
            claim = replace(claim, unsure=_MAY_BE, default=Verdict.ASK)
    return _Judged(claim, claim.default, "The usual rules")


def _may_be_against(rule: Rule, claim: _Claim) -> bool:
    if rule.verdict is Verdict.ALLOW or not rule.words or rule.paths or rule.hosts:
        return False
    return any(may_fit_words(rule.words, words) for words in claim.spellings)


def _fits_program(rule: Rule, claim: _Claim) -> bool:
    """A rule that allows is for the words as they are written, another for the program however it is."""
    written = (claim.words,) if rule.verdict is Verdict.ALLOW else claim.spellings
    return any(fits_words(rule.words, words) for words in written)


def _fits(rule: Rule, claim: _Claim) -> bool:
    if rule.words and not (claim.words and _fits_program(rule, claim)):
        return False
    if rule.paths and not (claim.path and any(fits_path(each, claim.path) for each in rule.paths)):
        return False
    if rule.hosts and not (claim.host and _fits_host(rule, claim.host)):
        return False
    # What is unsure is never allowed by a rule, and what is outside only by one that names the place.
    is_elsewhere = claim.path is not None and isabs(claim.path) and not rule.paths
    reaches_outside = is_elsewhere or (claim.host is not None and not rule.hosts)
    goes_unnoticed = claim.danger is not None and claim.path not in rule.paths
    return rule.verdict is not Verdict.ALLOW or not (claim.unsure or reaches_outside or goes_unnoticed)


def _fits_host(rule: Rule, host: str) -> bool:
    """A rule that allows is for the usual port, unless it names one; another is for all of them."""
    any_port = rule.verdict is not Verdict.ALLOW
    return any(fits_host(each, host, any_port=any_port) for each in rule.hosts)


def _claims(proposal: Proposal, scripts: Iterable[Script]) -> list[_Claim]:
    touches = proposal.touches
    if touches is None:
        return [_Claim(shown=f"`{proposal.tool}`", default=Verdict.ASK)]
    claims = [claim for script in scripts for claim in _of_script(script, proposal, touches.directory)]
    claims += [_of_path(path, proposal, writes=False) for path in touches.reads]
    claims += [_of_path(path, proposal, writes=True) for path in touches.writes]
    claims += [_Claim(shown=f"the host `{host}`", default=Verdict.ASK, host=host) for host in touches.hosts]
    if len(claims) > CLAIMS_MAX:
        why = f"it touches more than {CLAIMS_MAX} things"
        claims = [*claims[:CLAIMS_MAX], _Claim(shown="that many things", default=Verdict.ASK, unsure=why)]
    # A call that touches nothing is judged by its name, and is harmless.
    return list(dict.fromkeys(claims)) or [_Claim(shown=f"`{proposal.tool}`", default=Verdict.ALLOW)]


def _of_script(script: Script, proposal: Proposal, directory: str) -> Iterator[_Claim]:
    for program in script.programs:
        text = " ".join(word.text for word in program.words)
        default = Verdict.ALLOW if program.is_wrapper else Verdict.ASK
        yield _Claim(
            shown=f"`{text}`", default=default, words=program.words, spellings=tuple(spellings(program.words))
        )
        yield from _dangers_in(program, proposal, directory)
    moves = _moves(script)
    for redirect in script.redirects:
        yield _of_redirect(redirect, proposal, directory, moves=moves)
    if script.unsure is not None:
        yield _Claim(shown="this command", default=Verdict.ASK, unsure=script.unsure)


def _dangers_in(program: Program, proposal: Proposal, directory: str) -> Iterator[_Claim]:
    """Files that it would change and that have effects beyond themselves. All others are its own business."""
    for path in changed_files(program):
        place = place_of(join(directory, path), proposal.workspace)
        if danger_of(place, proposal.run_by_git) is not None:
            yield _of_path(place, proposal, writes=True)


def _moves(script: Script) -> bool:
    return any(word.text in _CHANGES_DIRECTORY for program in script.programs for word in program.words)


def _path_of(redirect: Redirect, directory: str, *, moves: bool) -> str | None:
    """None: that is not known before it runs."""
    target = redirect.target
    return join(directory, target.text) if target.known and (isabs(target.text) or not moves) else None


def _of_redirect(redirect: Redirect, proposal: Proposal, directory: str, *, moves: bool) -> _Claim:
    target = redirect.target
    if (path := _path_of(redirect, directory, moves=moves)) is not None:
        return _of_path(path, proposal, writes=redirect.writes)
    why = f"it is not known which file `{target.text}` is"
    return _Claim(shown=f"`{target.text}`", default=Verdict.ASK, unsure=why)


def _of_path(path: str, proposal: Proposal, *, writes: bool) -> _Claim:
    place = place_of(path, proposal.workspace)
    if isabs(place):
        return _Claim(shown=f"`{place}`, outside of the workspace", default=Verdict.DENY, path=place)
    if not writes:
        return _Claim(shown=f"`{place}`", default=Verdict.ALLOW, path=place)
    danger = danger_of(place, proposal.run_by_git)
    return _Claim(shown=f"`{place}`", default=Verdict.ASK, path=place, danger=danger)


def _request(
    rules: Rules, proposal: Proposal, scripts: Sequence[Script], asked: list[_Claim]
) -> ApprovalRequest:
    touches = proposal.touches or Touches()
    opened = list(_opened(scripts, touches.directory))
    made = _rules_of(proposal, asked)
    return ApprovalRequest(
        programs=tuple(_shown(program) for script in scripts for program in script.programs),
        unsure=_unsure(asked),
        danger=next((f"`{claim.path}`: {claim.danger}" for claim in asked if claim.danger), None),
        reads=_places([*touches.reads, *(path for path, writes in opened if not writes)], proposal),
        writes=_places([*touches.writes, *(path for path, writes in opened if writes)], proposal),
        hosts=touches.hosts,
        rules=made,
        scopes=_scopes(rules, proposal, asked, made),
    )


def _opened(scripts: Iterable[Script], directory: str) -> Iterator[tuple[str, bool]]:
    """Files that the shell itself opens for the programs, and whether to write."""
    for script in scripts:
        moves = _moves(script)
        for redirect in script.redirects:
            if (path := _path_of(redirect, directory, moves=moves)) is not None:
                yield path, redirect.writes


def _places(paths: Iterable[str], proposal: Proposal) -> tuple[str, ...]:
    return tuple(dict.fromkeys(visible_json(place_of(path, proposal.workspace)) for path in paths))


def _shown(program: Program) -> tuple[str, ...]:
    """Nothing hidden, and no program under a name that only looks like another's."""
    texts = [visible_json(word.text) for word in program.words]
    at = next((n for n, word in enumerate(program.words) if not word.assigns), 0)
    return (*texts[:at], texts[at].encode("ascii", "backslashreplace").decode("ascii"), *texts[at + 1 :])


def _scopes(
    rules: Rules, proposal: Proposal, asked: list[_Claim], made: tuple[Rule, ...]
) -> tuple[ApprovalScope, ...]:
    """Where the rules that an answer makes would let such a call pass: one that asks may come before them."""
    wanted = {
        ApprovalScope.CHAT: replace(rules, chat=(*made, *rules.chat)),
        ApprovalScope.ALWAYS: replace(rules, user=(*made, *rules.user)),
    }
    return tuple(scope for scope, after in wanted.items() if made and _allows(after, proposal, asked))


def _allows(rules: Rules, proposal: Proposal, claims: Iterable[_Claim]) -> bool:
    counting = _counting(rules, proposal)
    return all(_first_match(counting, claim).verdict is Verdict.ALLOW for claim in claims)


def _rules_of(proposal: Proposal, asked: Iterable[_Claim]) -> tuple[Rule, ...]:
    made = [_rule_of(proposal, claim) for claim in asked]
    whole = tuple(dict.fromkeys(rule for rule in made if rule is not None and not rule.is_too_long))
    return whole if all(rule in whole for rule in made) and len(whole) <= RULES_OF_ANSWER_MAX else ()


def _rule_of(proposal: Proposal, claim: _Claim) -> Rule | None:
    """The narrowest rule that would have allowed this: these very words, files of this folder, this host."""
    words = tuple(exactly(word.text) for word in claim.words)
    paths: tuple[str, ...] = ()
    if claim.unsure is not None or claim.danger is not None or not all(word.known for word in claim.words):
        return None
    if claim.path is not None:
        folder = dirname(claim.path)
        paths = (f"{exactly(folder)}/*" if folder else "*",)
    hosts = (exactly(claim.host),) if claim.host is not None else ()
    return Rule(
        verdict=Verdict.ALLOW,
        tool=exactly(proposal.tool),
        words=words,
        paths=paths,
        hosts=hosts,
        # What is on the internet does not depend on where an agent works.
        workspace=exactly(proposal.workspace or "") if not hosts else "",
    )

"""What the server answers, as far as this client knows it. Everything else in an answer is passed over."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType


class Decision(Struct, frozen=True, kw_only=True):
    """What a person has said to a call: who it was, and when."""

    allowed: bool
    by: str = ""
    at: str | None = None


class OpenCall(Struct, frozen=True, kw_only=True):
    """A call that has no result in the history yet. `state` is pending, running, finished, denied, or what
    it awaits: awaiting_approval, awaiting_result (of a client), awaiting_answer (of a person).
    """

    tool_call_id: str
    state: str
    decision: Decision | None = None
    started_at: str | None = None


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a message. `type` says which of the fields there are."""

    type: str
    text: str = ""
    tool_call_id: str | None = None
    tool_name: str | None = None
    args: Any = None
    # Who runs a tool call: `server`, `client` or `provider`.
    kind: str | None = None
    # The MCP server whose tool it is.
    mcp_server_config_id: str | None = None
    result: Any = None
    is_error: bool = False
    provider_executed: bool = False
    # Of a result: when it was known, and how long the call took, if the server ran it.
    created_at: str | None = None
    duration_ms: int | None = None
    # Of a result: what a person has said to the call, if one was asked.
    decision: Decision | None = None
    # Only while it is being said.
    args_delta: str | None = None
    result_delta: str | None = None
    result_reset: bool = False
    file_id: str | None = None
    media_type: str | None = None
    name: str | None = None
    file_name: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    content: str | None = None
    source_id: str | None = None
    url: str | None = None
    title: str | None = None


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    message: str
    kind: str = "generic"
    retryable: bool = False
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class TurnEnd(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a turn ended: for a reason, such as `complete` or `interrupted`, or with an error."""

    at: str
    reason: str | None = None
    error: Failure | None = None


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    role: str
    content: tuple[Part, ...]
    created_at: str
    chat_id: str = ""
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    # The sender's own name for it.
    key: str | None = None
    usage: dict[str, Any] | None = None
    runtime_ms: int | None = None
    first_ms: int | None = None
    # Millionths of the currency; None where the price is not known.
    cost_micros: int | None = None
    # The model had more to say than it may say at once.
    cut_off: bool = False
    # How the turn ended whose last message this is.
    turn_end: TurnEnd | None = None
    # Of its calls, those that have no result yet. Only in pages of messages.
    open_calls: tuple[OpenCall, ...] = ()
    # The episode in which it was said, as in `PartSpoken`; None for what no agent said.
    history_version: int | None = None
    generation_attempt: int | None = None

    @property
    def text(self) -> str:
        """The words of the message, without its other parts."""
        return "".join(part.text for part in self.content if part.type == "text")


class Queued(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message that waits for the running turn."""

    id: int
    content: tuple[Part, ...]
    created_at: str
    when: str = "queue"
    chat_id: str = ""
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    key: str | None = None


class Retry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending."""

    attempt: int
    delay_ms: int = 0
    error: str = ""
    kind: str = "generic"
    retrying_at: str = ""
    provider: str | None = None
    status_code: int | None = None


class ApprovalScope(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far an approval may reach: `once`, `chat` or `always`, and the rules that it would make."""

    scope: str
    rules: tuple[str, ...] = ()


class ApprovalRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person should know before they allow a call."""

    # Of its command, each with its words; and why there may be more.
    programs: tuple[tuple[str, ...], ...] = ()
    unsure: str | None = None
    # Which of the files that it changes has effects beyond itself, and which.
    danger: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # On the internet.
    hosts: tuple[str, ...] = ()
    # What it would change, mostly a diff.
    preview: str | None = None
    scopes: tuple[ApprovalScope, ...] = ()


class QuestionOption(Struct, frozen=True, kw_only=True, omit_defaults=True):
    label: str
    description: str = ""


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Answered with the label of an option, or with words of one's own."""

    header: str
    question: str
    options: tuple[QuestionOption, ...] = ()


class Plan(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A plan that an agent proposes, in Markdown. `diff` is how it differs from the version before."""

    version: int
    text: str = ""
    diff: str = ""


class Awaited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that a client or a person must answer: `kind` is `result`, `approval` or `answer`."""

    tool_call_id: str
    tool_name: str
    kind: str
    message_id: int | None = None
    args: Any = None
    deadline: str | None = None
    approval: ApprovalRequest | None = None
    # Of an answer: what is asked, or the plan that was proposed.
    questions: tuple[Question, ...] = ()
    plan: Plan | None = None


class RuleOrigin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The call whose approval made a rule."""

    chat_id: str
    message_id: int
    tool_call_id: str


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule for approvals. `source` is `deployment`, `user` or `chat`, `verdict` allow, ask or deny."""

    id: str
    source: str
    verdict: str
    text: str
    tool: str = "*"
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    workspace: str = ""
    created_at: str | None = None
    created_by: str | None = None
    origin: RuleOrigin | None = None


class RuleList(Struct, frozen=True, kw_only=True):
    """In the order in which they are tried. `asks`: whether people are asked at all."""

    rules: tuple[Rule, ...]
    asks: bool = True


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the words of a search were found; without a message, in the title."""

    message_id: int | None = None
    snippet: str = ""


class WaitingChild(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat that works for another one and waits. It is answered with its own id."""

    chat_id: str
    title: str = ""
    agent_type: str | None = None
    waiting_for: tuple[Awaited, ...] = ()


class Children(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The chats that work for one: how many, how many are at it, and those that wait."""

    count: int = 0
    at_work: int = 0
    waiting: tuple[WaitingChild, ...] = ()


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`status` is waiting, running, interrupting, requires_action or error."""

    id: str
    title: str
    status: str
    created_at: str = ""
    updated_at: str = ""
    owner_id: str = ""
    archived: bool = False
    labels: dict[str, str] = {}
    # Only in the answer to a search.
    found: Found | None = None
    # The owner's own name for it.
    key: str | None = None
    # Removed an hour after its last turn has ended, and in no list.
    temporary: bool = False
    pin_order: int = 0
    # Whether the agent has said something after the message that the owner has read last.
    has_unread: bool = False
    last_read_message_id: int = 0
    last_error: Failure | None = None
    retry: Retry | None = None
    queue: tuple[Queued, ...] = ()
    waiting_for: tuple[Awaited, ...] = ()
    # Only of one chat and in lists.
    children: Children = Children()
    last_model: str | None = None
    last_reasoning_effort: str | None = None
    finish_reason: str | None = None
    parent_chat_id: str | None = None
    root_chat_id: str | None = None
    # Of a chat that works for another one: general or explore.
    agent_type: str | None = None
    branch: int = 1
    branch_count: int = 1
    snapshot_version: int = 0
    # The newest message of the history that people see.
    last_message_id: int | None = None
    # Of all model calls, also in branches that were left and of replies that were lost.
    usage_total: dict[str, int] = {}
    # Of the calls whose price is known.
    cost_micros_total: int = 0
    unpriced_calls: int = 0
    # Since when the workspace is known to tell something else than the agent was told.
    context_dirty_since: str | None = None
    # Who named it: `fallback`, `model` or `person`.
    title_by: str = ""
    # What the last turn has come to, and what the chat is about, in a few words.
    last_turn_summary: str | None = None
    summary: str | None = None
    # What the chat is set up with; not in lists.
    instructions: str = ""
    client_tools: tuple[dict[str, Any], ...] = ()
    client_deadline_seconds: int | None = None
    options: dict[str, Any] = {}
    # The directory in which its agent works; only of a chat that is shown by itself.
    workspace: str | None = None
    # None: those that are on by default.
    mcp_servers: tuple[str, ...] | None = None
    # `plan`: its agent proposes a plan, and changes nothing else.
    mode: str | None = None


class Resource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of the workspace that the agent is told of; or, if `status` is not `ok`, why it is not."""

    kind: str
    source: str
    size_bytes: int = 0
    status: str = "ok"
    error: str | None = None
    skill_name: str | None = None
    skill_description: str | None = None


class Context(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the agent of a chat is told of its workspace. Without a workspace, nothing is pinned."""

    workspace: str | None = None
    pinned_at: str | None = None
    # Since when the workspace is known to tell something else.
    dirty_since: str | None = None
    truncated: bool = False
    resources: tuple[Resource, ...] = ()


class PromptPart(Struct, frozen=True, kw_only=True):
    """A part of the system prompt. One that is withheld is for administrators."""

    name: str
    text: str = ""
    withheld: bool = False
    tokens: int = 0


class PromptTool(Struct, frozen=True, kw_only=True):
    name: str
    description: str = ""
    input_schema: Any = None
    tokens: int = 0


class Prompt(Struct, frozen=True, kw_only=True):
    """What a model would be told before everything that was said; tokens are estimates."""

    model: str
    parts: tuple[PromptPart, ...] = ()
    tools: tuple[PromptTool, ...] = ()
    tokens: int = 0
    history_tokens: int = 0


class Skill(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A skill of the caller; a list has it without its content, the whole `SKILL.md`."""

    name: str
    description: str
    created_at: str = ""
    updated_at: str = ""
    content: str = ""


class SkillList(Struct, frozen=True, kw_only=True):
    skills: tuple[Skill, ...]


class Submitted(Chat, frozen=True, kw_only=True, omit_defaults=True):
    """The chat afterwards, and the messages that entered its history."""

    message_ids: tuple[int, ...] = ()


class ChildList(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The chats that work for one, the one that was changed last first."""

    chats: tuple[Chat, ...]


class ChatPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    chats: tuple[Chat, ...]
    next: str | None = None


class MessagePage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    messages: tuple[Message, ...]
    has_more: bool = False
    # Only on a first page.
    queued_messages: tuple[Queued, ...] | UnsetType = UNSET


class Sent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either the message, because the agent reads it now, or the place in the queue where it waits."""

    queued: bool
    message: Message | None = None
    queued_message: Queued | None = None


class Edited(Struct, frozen=True, kw_only=True):
    message: Message
    deleted_message_ids: tuple[int, ...] = ()
    dropped_queued_ids: tuple[int, ...] = ()
    branch: int = 1


class Branch(Struct, frozen=True, kw_only=True):
    id: int
    active: bool
    parent_id: int | None = None
    fork_id: int | None = None
    created_at: str = ""


class BranchList(Struct, frozen=True, kw_only=True):
    branches: tuple[Branch, ...]


class UserPrompt(Struct, frozen=True, kw_only=True):
    id: int
    text: str


class PromptList(Struct, frozen=True, kw_only=True):
    prompts: tuple[UserPrompt, ...]


class Provider(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place to call models at. The last three fields are for administrators."""

    id: str
    type: str
    name: str
    display_name: str = ""
    enabled: bool = True
    user_keys_allowed: bool = False
    declared: bool = False
    has_api_key: bool = False
    base_url: str | None = None
    settings: dict[str, Any] = {}
    api_key: str | None = None


class Unreadable(Struct, frozen=True, kw_only=True):
    """A provider, a model or an MCP server that the server cannot read. It can be deleted."""

    id: str
    name: str
    reason: str = ""


class ProviderList(Struct, frozen=True, kw_only=True):
    providers: tuple[Provider, ...]
    unreadable: tuple[Unreadable, ...] = ()


class McpConnection(Struct, frozen=True, kw_only=True):
    """How the caller's chats stand with a server. Neither connected nor a problem: it was not needed."""

    connected: bool = False
    tools: int = 0
    problem: str | None = None


class McpServer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where agents get tools from. The fields from `url` on are for those who may change it."""

    id: str
    slug: str
    # `deployment`: for all users; `user`: the caller's own.
    scope: str = "user"
    display_name: str = ""
    description: str = ""
    icon_url: str | None = None
    transport: str = "streamable_http"
    auth_type: str = "none"
    availability: str = "default_on"
    enabled: bool = True
    model_intent: bool = False
    allow_in_plan_mode: bool = False
    declared: bool = False
    # Whether the caller has signed in, where that is needed.
    auth_connected: bool = True
    unavailable_reason: str | None = None
    # None where the server that was asked runs no chats.
    connection: McpConnection | None = None
    has_api_key: bool = False
    has_custom_headers: bool = False
    has_env: bool = False
    has_oauth2_secret: bool = False
    url: str | None = None
    command: tuple[str, ...] = ()
    env_names: tuple[str, ...] = ()
    api_key_header: str | None = None
    custom_header_names: tuple[str, ...] = ()
    oauth2_client_id: str | None = None
    oauth2_auth_url: str | None = None
    oauth2_token_url: str | None = None
    oauth2_revocation_url: str | None = None
    oauth2_scopes: str = ""
    tool_allow_list: tuple[str, ...] = ()
    tool_deny_list: tuple[str, ...] = ()
    forward_identity: bool = False
    connect_seconds: float | None = None
    call_seconds: float | None = None


class McpTool(Struct, frozen=True, kw_only=True):
    """`offered` is false where the lists of the server leave it out."""

    name: str
    description: str = ""
    offered: bool = True


class McpProbe(Struct, frozen=True, kw_only=True):
    """What came of trying an MCP server out."""

    slug: str
    is_well: bool
    says: str
    milliseconds: int = 0
    tools: tuple[McpTool, ...] = ()


class SignIn(Struct, frozen=True, kw_only=True):
    """Where to sign in at an MCP server."""

    authorization_url: str
    expires_in_seconds: int = 600


class Disconnected(Struct, frozen=True, kw_only=True):
    """Whether the token was taken back where it came from; the server has forgotten it in any case."""

    token_revoked: bool
    token_revocation_error: str | None = None


class McpServerList(Struct, frozen=True, kw_only=True):
    mcp_servers: tuple[McpServer, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`name` is what `create_chat` and `send` take as `model`."""

    id: str
    name: str
    provider_id: str = ""
    provider: str = ""
    provider_type: str = ""
    model: str = ""
    display_name: str = ""
    enabled: bool = True
    is_default: bool = False
    context_limit: int = 0
    compression_threshold: int = 70
    reasoning_efforts: tuple[str, ...] = ()
    # Whether its provider searches the web for its replies.
    web_search: bool = False
    prices: dict[str, int] | None = None
    declared: bool = False
    available: bool = True
    unavailable_reason: str | None = None
    options: dict[str, Any] = {}


class ModelList(Struct, frozen=True, kw_only=True):
    models: tuple[Model, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Probe(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of trying a model out."""

    model: str
    is_well: bool
    says: str
    milliseconds: int = 0
    kind: str | None = None


class OwnKey(Struct, frozen=True, kw_only=True):
    provider_id: str
    provider: str
    user_keys_allowed: bool = False
    has_user_api_key: bool = False
    has_provider_api_key: bool = False


class OwnKeyList(Struct, frozen=True, kw_only=True):
    keys: tuple[OwnKey, ...]


class ChildModel(Struct, frozen=True, kw_only=True):
    """A model for chats that work for others."""

    model: str
    reasoning_effort: str | None = None


class Subagents(Struct, frozen=True, kw_only=True):
    """The models of chats that work for others, by type; None: that of the chat that they work for."""

    general: ChildModel | None = None
    explore: ChildModel | None = None
    # Whether users may choose for their own chats.
    own_allowed: bool = False


class OwnSubagents(Struct, frozen=True, kw_only=True):
    """A model, or `chat` or `deployment`, which are followed."""

    general: ChildModel | str = "deployment"
    explore: ChildModel | str = "deployment"


class Settings(Struct, frozen=True, kw_only=True):
    system_prompt: str = ""
    # What stands before it; None: `default_base_prompt`, empty: nothing.
    base_prompt: str | None = None
    default_base_prompt: str = ""
    # Who sums up what has become too long; None: the model of each chat.
    compaction_model: str | None = None
    # Who writes titles, labels of turns and summaries of chats, and which of them are written.
    texts_model: str | None = None
    titles: bool = True
    turn_labels: bool = True
    chat_summaries: bool = True
    debug_records_allowed: bool = False
    debug_records_forced: bool = False
    subagents: Subagents = Subagents()


class Advisor(Struct, frozen=True, kw_only=True):
    """The second model that agents can ask how to go on. A limit of 0 is none, or the usual one."""

    enabled: bool = False
    max_uses_per_turn: int = 0
    max_output_tokens: int = 0
    # None: the model of the chat.
    model: str | None = None
    reasoning_effort: str | None = None
    for_children: bool = False


class ProposedTitle(Struct, frozen=True, kw_only=True):
    title: str


class OwnSettings(Struct, frozen=True, kw_only=True):
    prompt: str = ""
    # In percent, by the name of the model.
    compaction_thresholds: dict[str, int] = {}
    debug_records: bool = False
    debug_records_allowed: bool = False
    debug_records_forced: bool = False
    subagents: OwnSubagents = OwnSubagents()
    subagents_allowed: bool = False


class DebugRequest(Struct, frozen=True, kw_only=True):
    method: str
    url: str
    headers: dict[str, str] = {}
    body: Any = None


class DebugResponse(Struct, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str] = {}
    body: Any = None


class DebugAttempt(Struct, frozen=True, kw_only=True):
    """One round trip. Without a response, there was none."""

    started_at: str
    duration_ms: int
    request: DebugRequest
    response: DebugResponse | None = None
    error: str | None = None


class DebugStep(Struct, frozen=True, kw_only=True):
    """One model call, however often it had to be tried."""

    number: int
    operation: str
    status: str
    model: str = ""
    provider: str = ""
    history_version: int = 0
    started_at: str = ""
    finished_at: str | None = None
    request: Any = None
    response: Any = None
    usage: dict[str, int] | None = None
    error: dict[str, Any] | None = None
    assistant_message_id: int | None = None
    attempts: tuple[DebugAttempt, ...] = ()


class DebugRun(Struct, frozen=True, kw_only=True):
    """The record of a turn. A list has it without its steps."""

    id: str
    chat_id: str
    kind: str
    status: str
    provider: str = ""
    model: str = ""
    parent_chat_id: str | None = None
    root_chat_id: str | None = None
    trigger_message_id: int = 0
    tip_message_id: int = 0
    summary: dict[str, Any] = {}
    started_at: str = ""
    updated_at: str = ""
    finished_at: str | None = None
    steps: tuple[DebugStep, ...] = ()


class DebugRunList(Struct, frozen=True, kw_only=True):
    runs: tuple[DebugRun, ...]


class AddedFile(Struct, frozen=True, kw_only=True):
    id: str
    name: str = ""
    media_type: str = ""
    size_bytes: int = 0


class Workspace(Struct, frozen=True, kw_only=True):
    """Where agents work on this server. `says` is all of it as a sentence."""

    usable: bool
    root: str | None = None
    # What keeps commands in their place: sandbox, limits, none, or closed when no command runs.
    level: str = "closed"
    network: bool = False
    limits: tuple[str, ...] = ()
    # Before agents change them.
    keeps_files: bool = False
    says: str = ""
    why: str = ""


class DeclaredMcpServer(Struct, frozen=True, kw_only=True):
    """An MCP server that a workspace declares. `status` is waiting_for_trust, not_connected, and so on."""

    name: str
    status: str
    transport: str | None = None
    command: tuple[str, ...] = ()
    url: str | None = None
    env_names: tuple[str, ...] = ()
    header_names: tuple[str, ...] = ()
    problem: str | None = None
    tools: int = 0


class WorkspaceMcpServers(Struct, frozen=True, kw_only=True):
    """What a workspace declares. `digest` is of the file, to say that this very one is trusted."""

    workspace: str
    digest: str | None = None
    trusted: bool = False
    servers: tuple[DeclaredMcpServer, ...] = ()
    problem: str | None = None


class Health(Struct, frozen=True, kw_only=True):
    status: str


class ErrorDetail(Struct, frozen=True, kw_only=True):
    code: str
    message: str
    field: str | None = None
    hint: str | None = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail

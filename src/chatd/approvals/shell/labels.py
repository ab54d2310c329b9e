"""A short label for a command: the programs that it runs, with their sub-commands (pure)."""

from chatd.approvals.shell.parse import parse_command
from chatd.approvals.shell.script import Program
from chatd.kit.text import shortened, visible_json

LABELS_MAX = 20
_CHARACTERS_MAX = 60

# Programs whose first word says what they do.
_WITH_SUBCOMMANDS = frozenset({
    "apt", "apt-get", "aws", "az", "brew", "bun", "cargo", "composer", "conda", "dnf", "docker", "dotnet",
    "gcloud", "gem", "gh", "git", "go", "gradle", "hatch", "helm", "just", "kubectl", "make", "mvn", "npm",
    "npx", "pip", "pip3", "pipx", "pnpm", "podman", "poetry", "rustup", "systemctl", "terraform", "tox", "uv",
    "uvx", "yarn",
})  # fmt: skip


def labels(command: str) -> tuple[tuple[str, ...], ...] | None:
    """None of a command that cannot be read surely."""
    script = parse_command(command)
    if script.unsure is not None:
        return None
    return tuple(_label(program) for program in script.programs if not program.is_wrapper)[:LABELS_MAX]


def _label(program: Program) -> tuple[str, ...]:
    words = [word for word in program.words if not word.assigns] or list(program.words)
    name, *rest = words
    told = [name.text]
    is_known = name.text.rpartition("/")[2] in _WITH_SUBCOMMANDS
    if is_known and rest and rest[0].known and not rest[0].text.startswith("-"):
        told.append(rest[0].text)
    return tuple(shortened(visible_json(text), _CHARACTERS_MAX) for text in told)

from chatd.domain.ids import ChatId
from chatd.workspaces.local.sandbox.environment import environment

CHAT = ChatId("chat-1")


def test_nothing_of_the_server_is_passed_on_but_what_is_listed() -> None:
    server = {
        "PATH": "/usr/bin",
        "LC_ALL": "C.UTF-8",
        "CHATD_SECRET_KEY": "s",
        "ANTHROPIC_API_KEY": "k",
        "AWS_SECRET_ACCESS_KEY": "k",
        "SSH_AUTH_SOCK": "/run/agent",
        "LD_PRELOAD": "/evil.so",
        "PYTHONPATH": "/server",
    }

    made = environment(server, chat_id=CHAT, home="/h")

    assert made["PATH"] == "/usr/bin"
    assert made["LC_ALL"] == "C.UTF-8"
    assert not set(made) & {
        "CHATD_SECRET_KEY",
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "LD_PRELOAD",
        "PYTHONPATH",
    }


def test_an_administrator_may_pass_variables_on_but_none_of_ours() -> None:
    server = {"HTTPS_PROXY": "http://proxy", "CHATD_SECRET_KEY": "s"}

    made = environment(server, chat_id=CHAT, home="/h", passed=frozenset({"HTTPS_PROXY", "CHATD_SECRET_KEY"}))

    assert made["HTTPS_PROXY"] == "http://proxy"
    assert "CHATD_SECRET_KEY" not in made


def test_a_command_knows_that_it_is_run_by_an_agent_and_for_which_chat() -> None:
    made = environment({}, chat_id=CHAT, home="/h", wanted={"CHATD_CHAT_ID": "another", "X": "1"})

    assert (made["CHATD_AGENT"], made["CHATD_CHAT_ID"], made["HOME"], made["X"]) == (
        "true",
        "chat-1",
        "/h",
        "1",
    )


def test_git_uses_no_repository_that_only_looks_like_one_whatever_else_it_is_told() -> None:
    passed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy", "GIT_CONFIG_VALUE_0": "http://proxy"}

    alone = environment({}, chat_id=CHAT, home="/h")
    more = environment(passed, chat_id=CHAT, home="/h", passed=frozenset(passed))

    assert (alone["GIT_CONFIG_COUNT"], alone["GIT_CONFIG_KEY_0"]) == ("1", "safe.bareRepository")
    assert more == {
        **alone,
        **passed,
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_1": "safe.bareRepository",
        "GIT_CONFIG_VALUE_1": "explicit",
    }

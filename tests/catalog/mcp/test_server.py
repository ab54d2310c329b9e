from chatd.catalog.mcp.server import McpServer, Transport


def test_a_server_that_is_shown_tells_no_secret() -> None:
    server = McpServer(
        id="m-1",
        slug="time",
        transport=Transport.STREAMABLE_HTTP,
        url="https://mcp.example/?key=in-the-url",
        headers={"authorization": "Bearer in-a-header"},
        command=("program", "--key=in-the-command"),
        env={"KEY": "in-the-environment"},
    )

    shown = f"{server} {server!r} {server.__rich_repr__()}"

    assert "m-1" in shown
    assert "in-" not in shown

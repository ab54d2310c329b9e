"""A history becomes the body of a request (pure).

`prepare` turns messages into wire turns (`wire_turn`), with the help of `pairing`, `attachments` and
`tool_names`. `writer` has a dialect write them, and keeps what it wrote for earlier steps of the chat.
"""

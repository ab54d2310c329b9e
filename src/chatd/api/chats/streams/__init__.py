"""Streams: what happens, as it happens, over WebSocket or as Server-Sent Events.

Whatever can be refused is refused before the stream begins, as a plain answer. From then on a stream
ends in one of these ways, and its viewer may come back with the last cursor:

    1000    the chat was deleted, or the viewer left
    1008    the viewer may not watch any more; the last event is `access_ended`
    1011    something of ours broke
    1012    the server is going away, or the viewer is shown more or less than before
    (none)  the viewer did not take what was sent in time
"""

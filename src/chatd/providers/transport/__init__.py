"""A request goes out and bytes come back: connections, headers, time limits, and cutting bytes into frames.

`http` has the connections, `source` is what is read from one and `timed_reader` for how long, `headers` and
`addresses` say where a request goes, `sse` and `aws_frames` cut bytes into frames, `frame_json` reads their
JSON, and `tap` lets a recorder see both directions.
"""

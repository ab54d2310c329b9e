"""A request goes out and bytes come back: connections, headers, time limits, and cutting bytes into frames.

`http` has the connections, `source` what is read from one and for how long, `headers` and `addresses` say
where a request goes, `sse` and `aws_frames` cut bytes into frames, `frame_json` reads the JSON in them, and
`tap` lets a recorder see both directions.
"""

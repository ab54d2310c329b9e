"""The wire formats, one folder each. They are pure, and know nothing of one another.

Files of the same role have the same name in each of them: `dialect` is the way in, `body` and `turns` write a
request, `frames` has the shapes of an answer, `decode` reads it, `usage` counts what it has used.
"""

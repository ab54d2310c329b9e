"""Models, behind one method.

`model` is the seam and `events` what comes through it; `registry` makes models of the catalog's rows, and
`http_model` is what it makes. `dialect` is the seam to the wire formats in `dialects/`. `cost` says what a
call has cost. Each folder says in its own docstring what is in it.
"""

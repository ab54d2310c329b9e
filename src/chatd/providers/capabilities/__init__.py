"""What models can do and what servers do differently, as tables and as the values that are read from them.

`target` has the values, `known` the table of models, `quirks` that of servers, `asked_efforts` which efforts
are offered for a model.
"""

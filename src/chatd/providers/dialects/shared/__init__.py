"""What several dialects need (pure): rules of their wire formats that are the same, or almost the same.

Reading: `arguments` of calls, `counting` of tokens and cost. Writing: `alternation` of roles, `schemas` and
`references` of tools, `efforts` of thinking, service `tiers`.
"""

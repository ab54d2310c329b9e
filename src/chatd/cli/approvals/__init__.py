"""Commands for what people decide: approve, deny, answer, plan, rules."""

"""What can happen to a chat as a whole: beginning, archive, title, rules, context, children."""

"""Calls that need a person: rules, questions and plans, and what an answer means."""

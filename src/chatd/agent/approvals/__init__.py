"""Judging the calls of a reply by the rules, when the reply is saved and again before a call begins."""

"""Converse of Amazon Bedrock, for models of any maker."""

from chatd.providers.dialects.converse.dialect import CONVERSE

__all__ = ["CONVERSE"]

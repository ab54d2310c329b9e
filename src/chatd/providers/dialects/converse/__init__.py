from chatd.providers.dialects.converse.dialect import CONVERSE

__all__ = ["CONVERSE"]

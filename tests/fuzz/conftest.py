from tests.quiet import silence

__all__ = ["silence"]

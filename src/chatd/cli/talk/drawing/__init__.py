"""What is said as rows of a terminal: Markdown, code, tables, and text that fits the width."""

"""HTML as text that can be read: tags cut, the main part chosen, written as Markdown."""

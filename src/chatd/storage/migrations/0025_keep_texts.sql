-- Texts about a chat that models write, as in domain/texts.py. A title of before may be a person's choice, and is
-- taken for one.
ALTER TABLE chats ADD COLUMN title_by TEXT NOT NULL DEFAULT 'person'
    CHECK (title_by IN ('fallback', 'model', 'person'));
ALTER TABLE chats ADD COLUMN turn_label TEXT;
ALTER TABLE chats ADD COLUMN summary TEXT;

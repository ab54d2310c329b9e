-- When a person allowed or denied a call, as it is shown.
ALTER TABLE calls ADD COLUMN decided_at TEXT;

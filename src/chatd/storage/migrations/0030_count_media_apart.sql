-- What tools have shown is linked to its chat too, and does not take the room of what was attached.
ALTER TABLE file_links ADD COLUMN is_media BOOLEAN NOT NULL DEFAULT FALSE;

-- insert_file --
INSERT INTO files (id, owner_id, name, media_type, size_bytes, data, created_at)
VALUES ($1, $2, $3, $4, $5, $6, chatd_now());

-- read_file --
SELECT id, owner_id, name, media_type, size_bytes, data, created_at
  FROM files
 WHERE id = $1;

-- file_is_known --
SELECT 1
  FROM files
 WHERE id = $1 AND owner_id = $2;

-- linked_files --
SELECT file_id
  FROM file_links
 WHERE chat_id = $1;

-- link_file --
INSERT INTO file_links (chat_id, file_id)
VALUES ($1, $2);

-- delete_unlinked_files_of --
-- Before a chat goes: the files that nothing else refers to.
DELETE FROM files
 WHERE id IN (SELECT file_id FROM file_links WHERE chat_id = $1)
   AND id NOT IN (SELECT file_id FROM file_links WHERE chat_id <> $1);

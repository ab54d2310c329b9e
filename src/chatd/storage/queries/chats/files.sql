-- insert_file --
-- The id is new, so one that is there is ours: a write whose answer was lost is tried again.
INSERT INTO files (id, owner_id, name, media_type, size_bytes, data, created_at)
VALUES ($1, $2, $3, $4, $5, $6, chatd_now())
    ON CONFLICT (id) DO NOTHING;

-- read_file --
SELECT id, owner_id, name, media_type, size_bytes, data, created_at
  FROM files
 WHERE id = $1;

-- may_be_attached (fragment) --
-- By the user $2 in the chat $3: their own files, and what is attached there already.
(f.owner_id = $2 OR EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = f.id AND l.chat_id = $3))

-- is_shown (fragment) --
-- Of a link `l`: whether the file is in what people see of the chat now. A link stays when a message is edited, and
-- one that waits has it already. Ids hold no sign that LIKE knows.
(EXISTS (SELECT 1
           FROM messages s
          WHERE s.chat_id = l.chat_id
            AND NOT s.deleted
            AND s.visibility <> 'model'
            AND s.content LIKE '%' || l.file_id || '%')
     OR EXISTS (SELECT 1
                  FROM calls k
                 WHERE k.chat_id = l.chat_id AND k.state = 'finished' AND k.result LIKE '%' || l.file_id || '%'))

-- is_queued (fragment) --
EXISTS (SELECT 1
          FROM queued_messages w
         WHERE w.chat_id = l.chat_id AND w.content LIKE '%' || l.file_id || '%')

-- may_be_sent (fragment) --
-- By the user $2 to the chat $3: their own files, and what they see there.
(f.owner_id = $2
     OR EXISTS (SELECT 1
                  FROM file_links l
                  JOIN chats c ON c.id = l.chat_id
                 WHERE l.file_id = f.id
                   AND l.chat_id = $3
                   AND (c.owner_id = $2 OR {is_shown} OR {is_queued})))

-- media_types_for_message (sqlite) --
SELECT f.id, f.media_type
  FROM files f
 WHERE f.id IN (SELECT value FROM json_each($1)) AND {may_be_sent};

-- media_types_for_message (postgres) --
SELECT f.id, f.media_type
  FROM files f
 WHERE f.id IN (SELECT json_array_elements_text(CAST($1 AS json))) AND {may_be_sent};

-- file_of_user_or_their_chat --
SELECT 1
  FROM files f
 WHERE f.id = $1
   AND (f.owner_id = $2 OR EXISTS (SELECT 1
                                     FROM file_links l
                                     JOIN chats c ON c.id = l.chat_id
                                    WHERE l.file_id = f.id AND (c.owner_id = $2 OR c.service_id = $2)));

-- file_of_family --
-- Attached to a chat of the family $3, or of user $2 and attached to nothing yet.
SELECT 1
  FROM files f
 WHERE f.id = $1
   AND (EXISTS (SELECT 1
                  FROM file_links l
                  JOIN chats c ON c.id = l.chat_id
                 WHERE l.file_id = f.id AND (c.id = $3 OR c.root_id = $3))
        OR (f.owner_id = $2 AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = f.id)));

-- file_of_shared_chat --
-- Shown in a chat of a family that was shared with the user $1. $4: whether they are shown the queues of those in
-- which they may write.
SELECT 1
  FROM file_links l
  JOIN chats c ON c.id = l.chat_id
  JOIN chat_grants g ON g.chat_id = COALESCE(c.root_id, c.id)
 WHERE l.file_id = $3
   AND {counts_for_user}
   AND ({is_shown} OR ($4 AND g.role = 'writer' AND {is_queued}))
 LIMIT 1;

-- file_of_user_or_any_chat --
SELECT 1
  FROM files f
 WHERE f.id = $1
   AND (f.owner_id = $2 OR EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = f.id));

-- file_sizes (sqlite) --
SELECT id, size_bytes
  FROM files
 WHERE id IN (SELECT value FROM json_each($1));

-- file_sizes (postgres) --
SELECT id, size_bytes
  FROM files
 WHERE id IN (SELECT json_array_elements_text(CAST($1 AS json)));

-- known_files (sqlite) --
SELECT f.id, f.size_bytes
  FROM files f
 WHERE f.id IN (SELECT value FROM json_each($1)) AND {may_be_attached};

-- known_files (postgres) --
-- Held until the commit: none is deleted between our look and our link. In the order in which all transactions
-- take them, so that two with the same files do not deadlock.
SELECT f.id, f.size_bytes
  FROM files f
 WHERE f.id IN (SELECT json_array_elements_text(CAST($1 AS json))) AND {may_be_attached}
 ORDER BY f.id
   FOR KEY SHARE OF f;

-- linked_files --
SELECT file_id, is_media
  FROM file_links
 WHERE chat_id = $1;

-- link_file --
INSERT INTO file_links (chat_id, file_id, is_media)
VALUES ($1, $2, $3);

-- lock_files_of_family --
-- Waits for transactions that are about to link one of these elsewhere; the next statement sees their links.
SELECT f.id
  FROM files f
 WHERE f.id IN (SELECT l.file_id
                  FROM file_links l
                  JOIN chats c ON c.id = l.chat_id
                 WHERE c.id = $1 OR c.root_id = $1)
 ORDER BY f.id
   FOR UPDATE;

-- delete_unlinked_files_of --
-- Before a chat goes: the files that nothing else refers to. Looked for file by file: there are more of them in
-- the chats of others.
DELETE FROM files
 WHERE id IN (SELECT file_id FROM file_links WHERE chat_id = $1)
   AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = files.id AND l.chat_id <> $1);

-- bytes_of_owner --
-- Of all files of a user but the one that is being added: a write whose answer was lost is tried again.
SELECT CAST(COALESCE(SUM(f.size_bytes), 0) AS BIGINT)
  FROM files f
 WHERE f.owner_id = $1 AND f.id <> $2;

-- unused_bytes --
-- Of the files that no chat of any user refers to.
SELECT CAST(COALESCE(SUM(f.size_bytes), 0) AS BIGINT)
  FROM files f
 WHERE f.owner_id = $1
   AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = f.id);

-- unused_files --
SELECT f.id
  FROM files f
 WHERE f.created_at < chatd_now() - $1
   AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = f.id)
 ORDER BY f.created_at, f.id
 LIMIT $2;

-- lock_files (sqlite) --
SELECT id
  FROM files
 WHERE id IN (SELECT value FROM json_each($1));

-- lock_files (postgres) --
-- A file that another transaction is about to link is locked already, and left to the next time.
SELECT id
  FROM files
 WHERE id IN (SELECT json_array_elements_text(CAST($1 AS json)))
 ORDER BY id
   FOR UPDATE SKIP LOCKED;

-- delete_unused_files (sqlite) --
DELETE FROM files
 WHERE id IN (SELECT value FROM json_each($1))
   AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = files.id)
RETURNING id;

-- delete_unused_files (postgres) --
-- A statement of its own, after the lock: it sees every link that was committed before we had the lock.
DELETE FROM files
 WHERE id IN (SELECT json_array_elements_text(CAST($1 AS json)))
   AND NOT EXISTS (SELECT 1 FROM file_links l WHERE l.file_id = files.id)
RETURNING id;

-- chats_behind_search --
-- Chats that have changed since their words were indexed, or were never looked at. Temporary ones are not found,
-- so they need no index.
SELECT c.id
  FROM chats c
  LEFT JOIN search_progress p ON p.chat_id = c.id
 WHERE c.id > $1
   AND NOT c.temporary
   AND (p.version IS NULL OR p.version < c.snapshot_version)
 ORDER BY c.id
 LIMIT $2;

-- search_state --
SELECT c.owner_id, c.snapshot_version, c.title, c.created_at, p.version, p.revision, p.message_id, p.title
  FROM chats c
  LEFT JOIN search_progress p ON p.chat_id = c.id
 WHERE c.id = $1
   AND NOT c.temporary;

-- messages_to_index --
-- What changed in a chat after a place in the order of revisions. Only what people see has its content here.
SELECT m.id, m.revision, m.created_at,
       CASE WHEN NOT m.deleted AND m.visibility <> 'model' AND NOT m.compressed AND m.role IN ('user', 'assistant')
            THEN m.content END
  FROM messages m
 WHERE m.chat_id = $1
   AND (m.revision > $2 OR (m.revision = $2 AND m.id > $3))
 ORDER BY m.revision, m.id
 LIMIT $4;

-- begin_search --
INSERT INTO search_progress (chat_id, version, revision, message_id, title)
SELECT c.id, 0, 0, 0, ''
  FROM chats c
 WHERE c.id = $1
    ON CONFLICT DO NOTHING;

-- advance_search --
-- No row: another server was quicker, or the chat is gone.
UPDATE search_progress
   SET version = $4, revision = $5, message_id = $6, title = $7
 WHERE chat_id = $1 AND revision = $2 AND message_id = $3
RETURNING chat_id;

-- insert_document --
INSERT INTO search_documents (id, chat_id, message_id)
VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING;

-- insert_words (sqlite) --
-- Only if the document of that id is this one.
INSERT OR REPLACE INTO search_words (rowid, words)
SELECT d.id, $5
  FROM search_documents d
 WHERE d.id = $1 AND d.chat_id = $2 AND d.message_id = $3;

-- insert_words (postgres) --
INSERT INTO search_words (id, owner_id, words)
SELECT d.id, $4, array_to_tsvector(string_to_array($5, ' '))
  FROM search_documents d
 WHERE d.id = $1 AND d.chat_id = $2 AND d.message_id = $3
    ON CONFLICT DO NOTHING;

-- delete_words (sqlite) --
DELETE FROM search_words
 WHERE rowid = (SELECT d.id FROM search_documents d WHERE d.chat_id = $1 AND d.message_id = $2);

-- delete_words (postgres) --
DELETE FROM search_words
 WHERE id = (SELECT d.id FROM search_documents d WHERE d.chat_id = $1 AND d.message_id = $2);

-- delete_document --
DELETE FROM search_documents
 WHERE chat_id = $1 AND message_id = $2;

-- delete_words_of_chat (sqlite) --
-- The rest goes with the chat by itself; this is no table that could refer to another.
DELETE FROM search_words
 WHERE rowid IN (SELECT d.id FROM search_documents d WHERE d.chat_id = $1);

-- delete_words_of_chat (postgres) --
DELETE FROM search_words
 WHERE id IN (SELECT d.id FROM search_documents d WHERE d.chat_id = $1);

-- plan_for_these_words (sqlite) --
SELECT 1;

-- plan_for_these_words (postgres) --
-- For this transaction: which index is the better one depends on how common the words are.
SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE);

-- find_documents (sqlite) --
-- The newest documents of a user with these words, before a place. The owner, $1, is one of the words.
SELECT d.id, d.chat_id, d.message_id
  FROM (SELECT rowid AS id
          FROM search_words
         WHERE search_words MATCH $2 AND rowid < $3
         ORDER BY rowid DESC
         LIMIT $4) w
  JOIN search_documents d ON d.id = w.id
 ORDER BY w.id DESC;

-- find_documents (postgres) --
SELECT d.id, d.chat_id, d.message_id
  FROM (SELECT id
          FROM search_words
         WHERE owner_id = $1 AND words @@ CAST($2 AS text)::tsquery AND id < $3
         ORDER BY id DESC
         LIMIT $4) w
  JOIN search_documents d ON d.id = w.id
 ORDER BY w.id DESC;

-- find_documents_of (sqlite) --
-- The same among those of several owners, $1, who are among the words.
SELECT d.id, d.chat_id, d.message_id
  FROM (SELECT rowid AS id
          FROM search_words
         WHERE search_words MATCH $2 AND rowid < $3 AND $1 IS NOT NULL
         ORDER BY rowid DESC
         LIMIT $4) w
  JOIN search_documents d ON d.id = w.id
 ORDER BY w.id DESC;

-- find_documents_of (postgres) --
SELECT d.id, d.chat_id, d.message_id
  FROM (SELECT id
          FROM search_words
         WHERE owner_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
           AND words @@ CAST($2 AS text)::tsquery AND id < $3
         ORDER BY id DESC
         LIMIT $4) w
  JOIN search_documents d ON d.id = w.id
 ORDER BY w.id DESC;

-- found_before (sqlite) --
-- Whether a chat has a newer document with these words, among some of those from a place on.
SELECT 1
  FROM (SELECT d.id
          FROM search_documents d
         WHERE d.chat_id = $1 AND d.id >= $2
         ORDER BY d.id
         LIMIT $4) newer
 CROSS JOIN search_words w ON w.rowid = newer.id
 WHERE w.search_words MATCH $3
 LIMIT 1;

-- found_before (postgres) --
SELECT 1
  FROM (SELECT d.id
          FROM search_documents d
         WHERE d.chat_id = $1 AND d.id >= $2
         ORDER BY d.id
         LIMIT $4) newer
  JOIN search_words w ON w.id = newer.id
 WHERE w.words @@ CAST($3 AS text)::tsquery
 LIMIT 1;

-- visible_messages (sqlite) --
-- Which of these [chat, message] are in the history that people see.
SELECT m.chat_id, m.id
  FROM json_each($1) pair
  JOIN messages m ON m.chat_id = json_extract(pair.value, '$[0]') AND m.id = json_extract(pair.value, '$[1]')
 WHERE m.visibility <> 'model' AND NOT m.deleted;

-- visible_messages (postgres) --
SELECT m.chat_id, m.id
  FROM json_array_elements(CAST($1 AS json)) pair
  JOIN messages m ON m.chat_id = pair ->> 0 AND m.id = CAST(pair ->> 1 AS BIGINT)
 WHERE m.visibility <> 'model' AND NOT m.deleted;

-- found_contents (sqlite) --
-- Their contents, but for long ones.
SELECT m.chat_id, m.id, m.content
  FROM json_each($1) pair
  JOIN messages m ON m.chat_id = json_extract(pair.value, '$[0]') AND m.id = json_extract(pair.value, '$[1]')
 WHERE m.tokens <= $2;

-- found_contents (postgres) --
SELECT m.chat_id, m.id, m.content
  FROM json_array_elements(CAST($1 AS json)) pair
  JOIN messages m ON m.chat_id = pair ->> 0 AND m.id = CAST(pair ->> 1 AS BIGINT)
 WHERE m.tokens <= $2;

-- listed_among (sqlite) --
-- Which of these chats are in a user's list. As in list_chats. The ids come first (CROSS JOIN): the planner would
-- go through all chats of the user, once for each look.
SELECT {chat_columns}
  FROM json_each($5) asked
 CROSS JOIN chats c ON c.id = asked.value
 WHERE {is_listed}
   AND {has_labels_sqlite};

-- listed_among (postgres) --
SELECT {chat_columns}
  FROM chats c
 WHERE {is_listed}
   AND c.id IN (SELECT json_array_elements_text(CAST($5 AS json)))
   AND {has_labels_postgres};

-- public_columns (fragment) --
m.id, m.role, m.content, m.content_version, m.visibility, m.compressed, m.deleted, m.revision, m.branch,
       m.model, m.effort, m.created_by, m.usage, m.runtime_ms, m.ends_turn, m.advisor_uses, m.tokens, m.created_at,
       m.first_ms, m.cost_micros, m.cost_source, m.paused, m.cut_off, m.key,
       m.history_version, m.generation_attempt, m.turn_end

-- line_of_branch (fragment) --
WITH RECURSIVE line (branch, before_id) AS (
    SELECT CAST($2 AS BIGINT), CAST(9223372036854775807 AS BIGINT)
    UNION ALL
    SELECT b.parent_id, CASE WHEN b.fork_id < line.before_id THEN b.fork_id ELSE line.before_id END
      FROM line
      JOIN branches b ON b.chat_id = $1 AND b.id = line.branch
)

-- insert_message --
-- Sent with: insert_audit
INSERT INTO messages (
    chat_id, id, role, content, content_version, visibility, compressed, deleted, revision, branch,
    model, effort, created_by, usage, runtime_ms, ends_turn, advisor_uses, tokens, created_at, internal,
    first_ms, cost_micros, cost_source, cost_basis, paused, cut_off, key,
    history_version, generation_attempt, turn_end)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
        $21, $22, $23, $24, $25, $26, $27, $28, $29, $30);

-- mark_turn_end --
UPDATE messages
   SET turn_end = $3, revision = $4
 WHERE chat_id = $1 AND id = $2;

-- insert_message_key --
-- No row comes back when the key was used in this chat.
INSERT INTO message_keys (chat_id, key, digest, number, created_at)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (chat_id, key) DO NOTHING
RETURNING number;

-- read_message_key --
SELECT digest, number, created_at
  FROM message_keys
 WHERE chat_id = $1 AND key = $2;

-- message_of_key --
-- Also one that an edit has left behind.
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.key = $2;

-- leave_suffix --
-- The active history ends before this message from now on. Nothing is ever removed.
UPDATE messages
   SET deleted = TRUE, revision = $3
 WHERE chat_id = $1 AND id >= $2 AND NOT deleted;

-- enter_branch --
-- What the branch has from the fork on becomes active again.
{line_of_branch}
UPDATE messages
   SET deleted = FALSE, revision = $4
 WHERE chat_id = $1 AND id >= $3 AND deleted
   AND EXISTS (SELECT 1 FROM line WHERE line.branch = messages.branch AND messages.id < line.before_id);

-- insert_branch --
INSERT INTO branches (chat_id, id, parent_id, fork_id, created_at)
VALUES ($1, $2, $3, $4, $5);

-- list_branches --
SELECT id, parent_id, fork_id, created_at
  FROM branches
 WHERE chat_id = $1
 ORDER BY id;

-- head_columns (fragment) --
m.id, m.role, m.visibility, m.compressed, m.tokens, m.usage, m.ends_turn, m.advisor_uses,
       m.paused, m.cut_off, m.model, m.effort, m.created_by, m.turn_end

-- active_heads --
-- The active history without its words.
SELECT {head_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND NOT m.deleted
 ORDER BY m.id;

-- branch_heads --
{line_of_branch}
SELECT {head_columns}
  FROM messages m
  JOIN line ON line.branch = m.branch AND m.id < line.before_id
 WHERE m.chat_id = $1
 ORDER BY m.id;

-- messages_since --
-- What changed for viewers after a revision; deleted rows are tombstones. In the order of the index:
-- `chunks.py` asks for a few, and reads a chunk when there are more.
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.revision > $2 AND m.visibility <> 'model'
 ORDER BY m.revision
 LIMIT $3;

-- changed_after (fragment) --
FROM messages m
 WHERE m.chat_id = $1 AND m.revision >= $2 AND m.visibility <> 'model'
   AND (m.revision > $2 OR (m.deleted AND $3 = 0 AND m.id > $4) OR (NOT m.deleted AND ($3 = 0 OR m.id > $4)))
 ORDER BY m.revision, m.deleted DESC, m.id

-- changed_chunk --
-- What comes after a place in the history: by revision, tombstones first, then by id.
SELECT {public_columns}
  {changed_after}
 LIMIT $5;

-- changed_sizes --
SELECT LENGTH(m.content)
  {changed_after}
 LIMIT $5;

-- opening_rest (fragment) --
FROM messages m
 WHERE m.chat_id = $1 AND m.id > $2 AND m.revision <= $3 AND m.visibility <> 'model' AND NOT m.deleted
 ORDER BY m.id

-- opening_chunk --
-- What was there at a version of the history and has not changed since, after a message.
SELECT {public_columns}
  {opening_rest}
 LIMIT $4;

-- opening_sizes --
SELECT LENGTH(m.content)
  {opening_rest}
 LIMIT $4;

-- newest_sizes --
SELECT LENGTH(m.content)
  FROM messages m
 WHERE m.chat_id = $1 AND m.id < $2 AND m.id > $3 AND m.visibility <> 'model' AND NOT m.deleted
 ORDER BY m.id DESC
 LIMIT $4;

-- history_since --
-- What changed for the model after a revision, with what only its provider may see. The version of the chat's
-- history is in every row, and in one without a message if nothing changed.
SELECT c.history_version, {public_columns}, m.internal
  FROM chats c
  LEFT JOIN messages m ON m.chat_id = c.id AND m.revision > $2 AND m.visibility <> 'user'
 WHERE c.id = $1
 ORDER BY m.id;

-- message_of_chat --
-- One that people see and that is in the history.
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.id = $2 AND m.visibility <> 'model' AND NOT m.deleted;

-- messages_before --
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.id < $2 AND m.id > $3 AND m.visibility <> 'model' AND NOT m.deleted
 ORDER BY m.id DESC
 LIMIT $4;

-- messages_after --
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.id > $2 AND m.visibility <> 'model' AND NOT m.deleted
 ORDER BY m.id
 LIMIT $3;

-- list_prompts --
SELECT {public_columns}
  FROM messages m
 WHERE m.chat_id = $1 AND m.role = 'user' AND m.visibility <> 'model' AND NOT m.compressed AND NOT m.deleted
 ORDER BY m.id DESC
 LIMIT $2;

-- spoken (fragment) --
FROM messages m
 WHERE m.chat_id = $1 AND m.role IN ('user', 'assistant') AND m.visibility <> 'model'
   AND NOT m.compressed AND NOT m.deleted AND LENGTH(m.content) <= $2

-- first_spoken --
-- What users and the agent said at the beginning. A very long message is left out.
SELECT {public_columns}
  {spoken}
 ORDER BY m.id
 LIMIT $3;

-- last_spoken --
SELECT {public_columns}
  {spoken}
 ORDER BY m.id DESC
 LIMIT $3;

-- branch_messages_before --
{line_of_branch}
SELECT {public_columns}
  FROM messages m
  JOIN line ON line.branch = m.branch AND m.id < line.before_id
 WHERE m.chat_id = $1 AND m.id < $3 AND m.id > $4 AND m.visibility <> 'model'
 ORDER BY m.id DESC
 LIMIT $5;

-- branch_messages_after --
{line_of_branch}
SELECT {public_columns}
  FROM messages m
  JOIN line ON line.branch = m.branch AND m.id < line.before_id
 WHERE m.chat_id = $1 AND m.id > $3 AND m.visibility <> 'model'
 ORDER BY m.id
 LIMIT $4;

-- all_messages --
-- Everything a chat ever held, for `chatd show` and for tests.
SELECT {public_columns}, m.internal
  FROM messages m
 WHERE m.chat_id = $1
 ORDER BY m.id;

-- notices_since --
-- What people alone are told by the server, after a message.
SELECT m.content
  FROM messages m
 WHERE m.chat_id = $1 AND m.id > $2 AND m.role = 'system' AND m.visibility = 'user' AND NOT m.deleted
 ORDER BY m.id;

-- role_and_words --
-- Of a message that people see, on any branch.
SELECT m.role, m.content
  FROM messages m
 WHERE m.chat_id = $1 AND m.id = $2 AND m.visibility <> 'model';

-- next_user_message --
-- What a user said next, on any branch: numbers are given in the order of time.
SELECT MIN(m.id)
  FROM messages m
 WHERE m.chat_id = $1 AND m.id > $2 AND m.role = 'user' AND m.visibility <> 'model' AND NOT m.compressed;

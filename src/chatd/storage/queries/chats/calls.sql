-- call_columns (fragment) --
k.message_id, k.id, k.ordinal, k.tool, k.kind, k.effect, k.state, k.args, k.created_at, k.result,
       k.decided_by, k.reason, k.runner_id, k.started_at, k.finished_at, k.answered_at, k.request,
       k.decided_at

-- open_calls --
-- The calls that the active history owes an answer. Read in most transactions of a turn: the signs before the order
-- keep SQLite from going through all calls of the chat for it, instead of the few that are not answered.
SELECT {call_columns}
  FROM calls k
  JOIN messages m ON m.chat_id = k.chat_id AND m.id = k.message_id
 WHERE k.chat_id = $1 AND k.state <> 'answered' AND k.kind <> 'provider' AND NOT m.deleted
 ORDER BY +k.message_id, +k.ordinal;

-- branch_open_calls --
{line_of_branch}
SELECT {call_columns}
  FROM calls k
  JOIN messages m ON m.chat_id = k.chat_id AND m.id = k.message_id
  JOIN line ON line.branch = m.branch AND m.id < line.before_id
 WHERE k.chat_id = $1 AND k.state <> 'answered' AND k.kind <> 'provider'
 ORDER BY k.message_id, k.ordinal;

-- all_calls --
SELECT {call_columns}
  FROM calls k
 WHERE k.chat_id = $1
 ORDER BY k.message_id, k.ordinal;

-- insert_call --
INSERT INTO calls (
    chat_id, message_id, id, ordinal, tool, kind, effect, state, args, created_at, result,
    decided_by, reason, runner_id, started_at, finished_at, answered_at, request,
    decided_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- save_call --
UPDATE calls
   SET state = $4, result = $5, decided_by = $6, reason = $7, runner_id = $8,
       started_at = $9, finished_at = $10, answered_at = $11, request = $12,
       decided_at = $13
 WHERE chat_id = $1 AND message_id = $2 AND id = $3;

-- plan_calls --
-- The newest plans that were proposed; $3: also on branches that were left.
SELECT {call_columns}
  FROM calls k
 WHERE k.chat_id = $1 AND k.kind = 'person' AND k.tool = 'propose_plan' AND k.request IS NOT NULL
   AND ($3 OR EXISTS (SELECT 1
                        FROM messages m
                       WHERE m.chat_id = k.chat_id AND m.id = k.message_id AND NOT m.deleted))
 ORDER BY k.message_id DESC
 LIMIT $2;

-- call_of_earlier_message --
-- Whether an earlier reply had a call of this id. Some providers number the calls of each reply.
SELECT 1
  FROM calls k
 WHERE k.chat_id = $1 AND k.message_id < $2 AND k.id = $3
 LIMIT 1;

-- changing_message --
-- The first message from $2 on, and before $3, with a call of ours that has begun and that does not only read.
SELECT MIN(k.message_id)
  FROM calls k
 WHERE k.chat_id = $1 AND k.message_id >= $2 AND k.message_id < $3
   AND k.kind = 'local' AND k.effect <> 'read' AND k.started_at IS NOT NULL;

-- debug_run_columns (fragment) --
id, chat_id, runner_id, kind, status, provider, model, trigger_id, tip_id, summary, started_at, updated_at,
finished_at

-- debug_runs_of_chat --
SELECT {debug_run_columns}
  FROM debug_runs
 WHERE chat_id = $1
 ORDER BY started_at DESC, id DESC
 LIMIT $2;

-- debug_run --
SELECT {debug_run_columns}
  FROM debug_runs
 WHERE id = $1 AND chat_id = $2;

-- debug_steps --
SELECT step
  FROM debug_steps
 WHERE run_id = $1
 ORDER BY number;

-- chat_to_record --
-- Locked first, as in every transition: an edit of the chat, or archiving it, deletes its runs.
SELECT 1
  FROM chats
 WHERE id = $1
   FOR KEY SHARE;

-- insert_debug_run --
INSERT INTO debug_runs (id, chat_id, runner_id, kind, status, provider, model, trigger_id, tip_id, summary,
                        started_at, updated_at)
VALUES ($1, $2, $3, $4, 'in_progress', $5, $6, $7, $8, $9, chatd_now(), chatd_now());

-- save_debug_run --
UPDATE debug_runs
   SET summary = $2, tip_id = $3, updated_at = chatd_now()
 WHERE id = $1 AND finished_at IS NULL;

-- save_debug_step --
-- Nothing is added to a run that is over, or that went with what was edited.
INSERT INTO debug_steps (run_id, number, step)
SELECT id, $2, $3
  FROM debug_runs
 WHERE id = $1 AND finished_at IS NULL
    ON CONFLICT (run_id, number) DO UPDATE SET step = excluded.step;

-- delete_debug_steps_up_to --
DELETE FROM debug_steps
 WHERE run_id = $1 AND number <= $2;

-- close_debug_run --
-- Once: a later call changes nothing.
UPDATE debug_runs
   SET status = $2, finished_at = chatd_now(), updated_at = chatd_now()
 WHERE id = $1 AND finished_at IS NULL;

-- close_open_debug_runs --
-- What is written about a chat is recorded beside its turns.
-- The runner that wrote them is gone: a chat has one at a time.
UPDATE debug_runs
   SET status = 'interrupted', finished_at = chatd_now(), updated_at = chatd_now()
 WHERE chat_id = $1 AND finished_at IS NULL AND kind <> 'text';

-- delete_debug_runs --
DELETE FROM debug_runs
 WHERE chat_id = $1;

-- delete_debug_runs_from --
-- The runs whose prompts had this message, or a later one.
DELETE FROM debug_runs
 WHERE chat_id = $1 AND tip_id >= $2;

-- delete_surplus_debug_runs --
-- All but the newest of a chat.
DELETE FROM debug_runs
 WHERE chat_id = $1
   AND id NOT IN (SELECT id FROM debug_runs WHERE chat_id = $1 ORDER BY started_at DESC, id DESC LIMIT $2);

-- delete_old_debug_runs (sqlite) --
-- Of all chats, the oldest first.
DELETE FROM debug_runs
 WHERE id IN (SELECT id FROM debug_runs WHERE started_at < (SELECT chatd_now()) - $1 ORDER BY started_at LIMIT $2);

-- delete_old_debug_runs (postgres) --
-- The same; runs that another transaction is about to delete are left to that one.
DELETE FROM debug_runs
 WHERE id IN (SELECT id FROM debug_runs WHERE started_at < (SELECT chatd_now()) - CAST($1 AS BIGINT)
               ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED);

-- log_parts (sqlite) --
-- Of these batches, a JSON list, all that begin an episode, and those that go on with one whose first batch is there.
-- A batch whose commit is in doubt is written once more, and may have grown meanwhile.
INSERT INTO logged_parts (chat_id, history, attempt, first_seq, count, parts)
SELECT w.chat_id, w.history, w.attempt, w.first_seq, w.count, w.parts
  FROM (SELECT json_extract(value, '$[0]') AS chat_id, json_extract(value, '$[1]') AS history,
               json_extract(value, '$[2]') AS attempt, json_extract(value, '$[3]') AS first_seq,
               json_extract(value, '$[4]') AS count, json_extract(value, '$[5]') AS parts
          FROM json_each($1)) w
 WHERE w.first_seq = 1
    OR 1 = (SELECT b.first_seq
              FROM logged_parts b
             WHERE b.chat_id = w.chat_id AND b.history = w.history AND b.attempt = w.attempt
               AND b.first_seq = 1)
    ON CONFLICT (chat_id, history, attempt, first_seq)
       DO UPDATE SET count = excluded.count, parts = excluded.parts
RETURNING chat_id, history, attempt;

-- log_parts (postgres) --
-- Not EXISTS: PostgreSQL may read the whole log for it. An episode has thousands of batches, and this is asked with
-- every one of them.
INSERT INTO logged_parts (chat_id, history, attempt, first_seq, count, parts)
SELECT w.chat_id, w.history, w.attempt, w.first_seq, w.count, w.parts
  FROM (SELECT e ->> 0 AS chat_id, CAST(e ->> 1 AS BIGINT) AS history, CAST(e ->> 2 AS BIGINT) AS attempt,
               CAST(e ->> 3 AS BIGINT) AS first_seq, CAST(e ->> 4 AS BIGINT) AS count, e ->> 5 AS parts
          FROM json_array_elements(CAST($1 AS json)) e) w
 WHERE w.first_seq = 1
    OR 1 = (SELECT b.first_seq
              FROM logged_parts b
             WHERE b.chat_id = w.chat_id AND b.history = w.history AND b.attempt = w.attempt
               AND b.first_seq = 1)
    ON CONFLICT (chat_id, history, attempt, first_seq)
       DO UPDATE SET count = excluded.count, parts = excluded.parts
RETURNING chat_id, history, attempt;

-- logged_episodes --
SELECT chat_id, history, MAX(attempt)
  FROM logged_parts
 GROUP BY chat_id, history;

-- newest_logged_attempt --
SELECT MAX(attempt)
  FROM logged_parts
 WHERE chat_id = $1 AND history = $2;

-- logged_parts_since --
-- The batches of an episode that reach beyond this place.
SELECT parts
  FROM logged_parts
 WHERE chat_id = $1 AND history = $2 AND attempt = $3 AND first_seq + count - 1 > $4
 ORDER BY first_seq;

-- logged_parts_of_episodes (sqlite) --
-- Of each of these episodes, a JSON list of [chat, history, attempt, place], the batches from the one on that has
-- the next part after the place. Looked up from behind: an episode may have thousands of batches.
-- Each with how many bytes it makes with those before it; none that begins beyond $2 bytes.
WITH wanted AS (
     SELECT l.chat_id, l.first_seq, l.parts, LENGTH(CAST(l.parts AS BLOB)) AS size
       FROM json_each($1) w
       JOIN logged_parts l
         ON l.chat_id = json_extract(w.value, '$[0]')
        AND l.history = json_extract(w.value, '$[1]')
        AND l.attempt = json_extract(w.value, '$[2]')
        AND l.first_seq >= COALESCE((
            SELECT MAX(f.first_seq)
              FROM logged_parts f
             WHERE f.chat_id = json_extract(w.value, '$[0]')
               AND f.history = json_extract(w.value, '$[1]')
               AND f.attempt = json_extract(w.value, '$[2]')
               AND f.first_seq <= json_extract(w.value, '$[3]') + 1), 0)),
     added AS (
     SELECT *, SUM(size) OVER (ORDER BY chat_id, first_seq ROWS UNBOUNDED PRECEDING) AS bytes
       FROM wanted)
SELECT chat_id, parts, bytes
  FROM added
 WHERE bytes - size < $2
 ORDER BY chat_id, first_seq;

-- logged_parts_of_episodes (postgres) --
-- OFFSET 0 keeps the look-ups apart. As one join PostgreSQL reads the whole log, and asks for the place of every batch.
WITH wanted AS (
     SELECT l.chat_id, l.first_seq, l.parts, l.size
       FROM (SELECT e ->> 0 AS chat_id, CAST(e ->> 1 AS BIGINT) AS history,
                    CAST(e ->> 2 AS BIGINT) AS attempt, CAST(e ->> 3 AS BIGINT) AS place
               FROM json_array_elements(CAST($1 AS json)) e) w
      CROSS JOIN LATERAL (
            SELECT b.chat_id, b.first_seq, b.parts, OCTET_LENGTH(b.parts) AS size
              FROM logged_parts b
             WHERE b.chat_id = w.chat_id AND b.history = w.history AND b.attempt = w.attempt
               AND b.first_seq >= COALESCE((
                   SELECT MAX(f.first_seq)
                     FROM logged_parts f
                    WHERE f.chat_id = w.chat_id AND f.history = w.history AND f.attempt = w.attempt
                      AND f.first_seq <= w.place + 1), 0)
            OFFSET 0) l),
     added AS (
     SELECT *, SUM(size) OVER (ORDER BY chat_id, first_seq ROWS UNBOUNDED PRECEDING) AS bytes
       FROM wanted)
SELECT chat_id, parts, bytes
  FROM added
 WHERE bytes - size < $2
 ORDER BY chat_id, first_seq;

-- logged_ends (sqlite) --
-- Of these chats, how far each episode is logged.
SELECT chat_id, history, attempt, MAX(first_seq + count - 1)
  FROM logged_parts
 WHERE chat_id IN (SELECT value FROM json_each($1))
 GROUP BY chat_id, history, attempt;

-- logged_ends (postgres) --
SELECT chat_id, history, attempt, MAX(first_seq + count - 1)
  FROM logged_parts
 WHERE chat_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
 GROUP BY chat_id, history, attempt;

-- delete_older_parts --
-- What belongs to an earlier history, or to an earlier attempt on this one.
DELETE FROM logged_parts
 WHERE chat_id = $1 AND (history < $2 OR (history = $2 AND attempt < $3));

-- delete_parts_of_chat --
DELETE FROM logged_parts
 WHERE chat_id = $1;

-- delete_stale_parts --
-- What was saved as a message meanwhile, or belongs to a chat that is gone.
DELETE FROM logged_parts
 WHERE NOT EXISTS (
       SELECT 1
         FROM chats c
        WHERE c.id = logged_parts.chat_id AND c.history_version = logged_parts.history);

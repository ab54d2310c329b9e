-- The usage and cost of all model calls of a chat, kept on its row: JSON, as in domain/totals.py. Chats of before
-- get the sum of what is stored of them. A count is cut at a million million, so that no sum overflows.
ALTER TABLE chats ADD COLUMN totals TEXT NOT NULL DEFAULT '{}';

UPDATE chats
   SET totals = (
        SELECT json_build_object('usage', json_build_object(
                   'input_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'input_tokens' AS BIGINT), 0), 1000000000000)),
                   'output_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'output_tokens' AS BIGINT), 0), 1000000000000)),
                   'total_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'total_tokens' AS BIGINT), 0), 1000000000000)),
                   'reasoning_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'reasoning_tokens' AS BIGINT), 0), 1000000000000)),
                   'cache_creation_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'cache_creation_tokens' AS BIGINT), 0), 1000000000000)),
                   'cache_creation_1h_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'cache_creation_1h_tokens' AS BIGINT), 0), 1000000000000)),
                   'cache_read_tokens', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'cache_read_tokens' AS BIGINT), 0), 1000000000000)),
                   'web_searches', sum(least(coalesce(CAST(CAST(usage AS json) ->> 'web_searches' AS BIGINT), 0), 1000000000000))),
               'cost_micros', sum(coalesce(cost_micros, 0)),
               'unpriced', sum(CASE WHEN cost_micros IS NULL THEN 1 ELSE 0 END))::text
          FROM (SELECT usage, cost_micros
                  FROM messages
                 WHERE chat_id = chats.id AND (usage IS NOT NULL OR cost_micros IS NOT NULL)
                 UNION ALL
                SELECT usage, cost_micros
                  FROM charges
                 WHERE chat_id = chats.id) paid)
 WHERE id IN (SELECT chat_id FROM messages WHERE usage IS NOT NULL OR cost_micros IS NOT NULL)
    OR id IN (SELECT chat_id FROM charges);

-- The usage and cost of all model calls of a chat, kept on its row: JSON, as in domain/totals.py. Chats of before
-- get the sum of what is stored of them. A count is cut at a million million, so that no sum overflows.
ALTER TABLE chats ADD COLUMN totals TEXT NOT NULL DEFAULT '{}';

UPDATE chats
   SET totals = (
        SELECT json_object('usage', json_object(
                   'input_tokens', sum(min(coalesce(json_extract(usage, '$.input_tokens'), 0), 1000000000000)),
                   'output_tokens', sum(min(coalesce(json_extract(usage, '$.output_tokens'), 0), 1000000000000)),
                   'total_tokens', sum(min(coalesce(json_extract(usage, '$.total_tokens'), 0), 1000000000000)),
                   'reasoning_tokens', sum(min(coalesce(json_extract(usage, '$.reasoning_tokens'), 0), 1000000000000)),
                   'cache_creation_tokens', sum(min(coalesce(json_extract(usage, '$.cache_creation_tokens'), 0), 1000000000000)),
                   'cache_creation_1h_tokens', sum(min(coalesce(json_extract(usage, '$.cache_creation_1h_tokens'), 0), 1000000000000)),
                   'cache_read_tokens', sum(min(coalesce(json_extract(usage, '$.cache_read_tokens'), 0), 1000000000000)),
                   'web_searches', sum(min(coalesce(json_extract(usage, '$.web_searches'), 0), 1000000000000))),
               'cost_micros', sum(coalesce(cost_micros, 0)),
               'unpriced', sum(CASE WHEN cost_micros IS NULL THEN 1 ELSE 0 END))
          FROM (SELECT usage, cost_micros
                  FROM messages
                 WHERE chat_id = chats.id AND (usage IS NOT NULL OR cost_micros IS NOT NULL)
                 UNION ALL
                SELECT usage, cost_micros
                  FROM charges
                 WHERE chat_id = chats.id) paid)
 WHERE id IN (SELECT chat_id FROM messages WHERE usage IS NOT NULL OR cost_micros IS NOT NULL)
    OR id IN (SELECT chat_id FROM charges);

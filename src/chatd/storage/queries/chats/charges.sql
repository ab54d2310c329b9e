-- insert_charge --
INSERT INTO charges (chat_id, history, attempt, number, created_at, model, operation, fate, usage,
                     cost_micros, cost_source, cost_basis)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (chat_id, history, attempt, number) DO NOTHING;

-- charges_of_chat --
SELECT history, attempt, number, model, operation, fate, usage, cost_micros, cost_source
  FROM charges
 WHERE chat_id = $1
 ORDER BY history, attempt, number;

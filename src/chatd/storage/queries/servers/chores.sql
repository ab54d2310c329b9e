-- take_chore --
-- For $3, if no other server has it, and it was not done within the last $4. No row comes back otherwise.
INSERT INTO chores (name, holder, until, done_at)
VALUES ($1, $2, chatd_now() + $3, 0)
    ON CONFLICT (name) DO UPDATE
   SET holder = $2, until = chatd_now() + $3
 WHERE (chores.holder = $2 OR chores.until <= chatd_now())
   AND chores.done_at <= chatd_now() - $4
RETURNING name;

-- keep_chore --
UPDATE chores
   SET until = chatd_now() + $3
 WHERE name = $1 AND holder = $2;

-- finish_chore --
-- $3: whether it was done to its end. If not, any server may try again.
UPDATE chores
   SET until = 0, done_at = CASE WHEN CAST($3 AS BOOLEAN) THEN chatd_now() ELSE done_at END
 WHERE name = $1 AND holder = $2;

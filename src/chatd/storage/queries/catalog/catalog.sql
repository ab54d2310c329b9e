-- one_catalog_writer (sqlite) --
-- BEGIN IMMEDIATE has let one in.
SELECT 1;

-- one_catalog_writer (postgres) --
-- The catalog changes rarely; one at a time, what is checked stays true until it is written.
SELECT pg_advisory_xact_lock(7341182840257);

-- provider_columns (fragment) --
id, name, type, display_name, enabled, base_url, settings, user_keys_allowed, api_key, deleted_at IS NOT NULL

-- all_providers --
-- Deleted ones too: chats may still name their models.
SELECT {provider_columns}
  FROM providers
 ORDER BY created_at, id;

-- provider_of_id --
SELECT {provider_columns}
  FROM providers
 WHERE id = $1;

-- insert_provider --
INSERT INTO providers (id, name, type, display_name, enabled, base_url, settings, user_keys_allowed, api_key,
                       created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, chatd_now(), chatd_now());

-- save_provider --
UPDATE providers
   SET display_name = $2, enabled = $3, base_url = $4, settings = $5, user_keys_allowed = $6, api_key = $7,
       updated_at = chatd_now()
 WHERE id = $1 AND deleted_at IS NULL;

-- delete_provider --
UPDATE providers
   SET deleted_at = chatd_now(), enabled = FALSE, api_key = NULL
 WHERE id = $1;

-- delete_user_keys_of_provider --
DELETE FROM user_provider_keys
 WHERE provider_id = $1;

-- model_columns (fragment) --
id, provider_id, model, display_name, enabled, context_limit, compression_threshold, options, prices

-- all_models --
SELECT {model_columns}
  FROM models
 ORDER BY created_at, id;

-- insert_model --
INSERT INTO models (id, provider_id, model, display_name, enabled, context_limit, compression_threshold,
                    options, prices, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, chatd_now(), chatd_now());

-- save_model --
UPDATE models
   SET display_name = $2, enabled = $3, context_limit = $4, compression_threshold = $5, options = $6,
       prices = $7, updated_at = chatd_now()
 WHERE id = $1;

-- delete_model --
DELETE FROM models
 WHERE id = $1;

-- user_key --
SELECT api_key
  FROM user_provider_keys
 WHERE user_id = $1 AND provider_id = $2;

-- user_keys --
SELECT provider_id
  FROM user_provider_keys
 WHERE user_id = $1;

-- save_user_key --
INSERT INTO user_provider_keys (user_id, provider_id, api_key, updated_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (user_id, provider_id) DO UPDATE SET api_key = excluded.api_key, updated_at = excluded.updated_at;

-- delete_user_key --
DELETE FROM user_provider_keys
 WHERE user_id = $1 AND provider_id = $2;

-- sealed_keys --
-- Everything that is sealed: keys of providers and of users, and what MCP servers and users have for them.
SELECT api_key FROM providers WHERE api_key IS NOT NULL
UNION ALL
SELECT api_key FROM user_provider_keys
UNION ALL
SELECT secrets FROM mcp_servers WHERE secrets IS NOT NULL
UNION ALL
SELECT tokens FROM mcp_grants;

-- forget_provider_keys --
UPDATE providers
   SET api_key = NULL
 WHERE api_key NOT LIKE $1;

-- forget_user_keys --
DELETE FROM user_provider_keys
 WHERE api_key NOT LIKE $1;

-- setting --
SELECT document
  FROM settings
 WHERE name = $1;

-- save_setting --
INSERT INTO settings (name, document, updated_at)
VALUES ($1, $2, chatd_now())
    ON CONFLICT (name) DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at;

-- user_setting --
SELECT document
  FROM user_settings
 WHERE user_id = $1 AND name = $2;

-- save_user_setting --
INSERT INTO user_settings (user_id, name, document, updated_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (user_id, name) DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at;

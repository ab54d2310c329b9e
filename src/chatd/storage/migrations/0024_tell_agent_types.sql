-- What a chat that works for another one is for.
ALTER TABLE chats ADD COLUMN agent_type TEXT CHECK (agent_type IN ('general', 'explore'));

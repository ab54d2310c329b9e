-- Each new sign-in deletes some that have ended, and went through those of everybody for it.
CREATE INDEX sign_ins_by_end ON sign_ins (ends_at);

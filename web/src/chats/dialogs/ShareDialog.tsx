import { Forward, Globe } from "lucide-react";
import { useChatPermits, useMayMakeLinks, useMayShareWithAll } from "@/api/accounts/permits";
import type { RowChat } from "@/api/chats/chats";
import { type Grant, type GrantRole, useGrants, useShare } from "@/api/chats/sharing";
import { sentence } from "@/api/errors";
import { moment } from "@/lib/time";
import { FindPeople } from "@/people/FindPeople";
import { Button } from "@/ui/Button";
import { Select } from "@/ui/Field";
import { Dialog } from "@/ui/overlay/Dialog";
import { Spinner } from "@/ui/Spinner";
import { PublicLinks } from "./PublicLinks";

interface ShareDialogProps {
  chat: Pick<RowChat, "id" | "title" | "access" | "owner">;
  onClose: () => void;
  /** Asks to whom it should belong, in a dialog of its own. */
  onHandOver: () => void;
}

const ROLES: Readonly<Record<GrantRole, string>> = { reader: "Can read", writer: "Can write" };
const EVERYONE = { kind: "everyone", subject: "all" } as const;

/** Who reads and writes a chat, and how to change that. */
export function ShareDialog({ chat, onClose, onHandOver }: ShareDialogProps) {
  const grants = useGrants(chat.id);
  const share = useShare(chat.id);
  const mayMakeLinks = useMayMakeLinks(chat);
  const mayShareWithAll = useMayShareWithAll(chat);
  const mayHandOver = useChatPermits(chat).has("chat.transfer");
  const isForAll = grants.data?.grants.some((grant) => grant.kind === "everyone") ?? false;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Share “${chat.title}”`}
      actions={<Button onClick={onClose}>Done</Button>}
    >
      <div className="flex flex-col gap-4">
        <FindPeople
          label="Share with"
          kinds={["user", "group"]}
          except={chat.owner.id}
          onChosen={({ kind, id }) => share.mutate({ kind, subject: id, role: "reader" })}
        />
        {grants.isPending && <Spinner label="Loading with whom it is shared" />}
        {grants.data && (
          <ul aria-label="Shared with" className="flex flex-col gap-2">
            {grants.data.grants.map((grant) => (
              <GrantRow
                key={`${grant.kind} ${grant.subject_id}`}
                grant={grant}
                onChange={(role, expiresAt) =>
                  share.mutate({ kind: grant.kind, subject: subjectOf(grant), role, expiresAt })
                }
              />
            ))}
            {grants.data.grants.length === 0 && (
              <li className="text-sm text-muted">
                {mayMakeLinks ? "It is shared with no user and no group." : "Only you see this chat."}
              </li>
            )}
          </ul>
        )}
        {mayShareWithAll && !isForAll && (
          <Button
            size="small"
            className="self-start"
            onClick={() => share.mutate({ ...EVERYONE, role: "reader" })}
          >
            <Globe aria-hidden size={15} /> Share with everyone on this server
          </Button>
        )}
        <p className="text-xs text-muted">
          Who can write has your agent work: you pay, and your keys, tools and workspace act. Costs, labels
          and the queue stay yours to see.
        </p>
        {mayMakeLinks && <PublicLinks chatId={chat.id} />}
        {mayHandOver && <Owner onHandOver={onHandOver} />}
        {(share.isError || grants.isError) && (
          <p role="alert" className="text-sm text-bad">
            {sentence(share.error ?? grants.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Owner({ onHandOver }: Pick<ShareDialogProps, "onHandOver">) {
  return (
    <section aria-labelledby="owner" className="flex items-center gap-3 border-t border-line pt-4">
      <div className="min-w-0 flex-1">
        <h3 id="owner" className="text-sm font-semibold">
          Owner
        </h3>
        <p className="text-xs text-muted">Somebody else can have this chat, and pay for it from then on.</p>
      </div>
      <Button size="small" onClick={onHandOver}>
        <Forward aria-hidden size={15} /> Hand over…
      </Button>
    </section>
  );
}

const subjectOf = (grant: Grant) => (grant.kind === "everyone" ? EVERYONE.subject : grant.subject_id);

interface GrantRowProps {
  grant: Grant;
  /** Without a role it is shared no more; what does not end ends never. */
  onChange: (role: GrantRole | null, expiresAt?: string | null) => void;
}

function GrantRow({ grant, onChange }: GrantRowProps) {
  const name = grant.kind === "everyone" ? "Everyone on this server" : grant.display_name || grant.name;
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-sm">
          {name}
          {grant.kind === "group" && <span className="ml-2 text-xs text-muted">Group</span>}
        </span>
        <Button size="small" look="quiet" aria-label={`Remove ${name}`} onClick={() => onChange(null)}>
          Remove
        </Button>
      </div>
      <div className="flex flex-wrap gap-2">
        <Select
          label={`What ${name} can do`}
          bare
          value={grant.role}
          onChange={(event) => onChange(event.target.value as GrantRole, grant.expires_at)}
        >
          {(Object.keys(ROLES) as GrantRole[]).map((role) => (
            <option key={role} value={role}>
              {ROLES[role]}
            </option>
          ))}
        </Select>
        <Select
          label={`How long ${name} can`}
          bare
          value={grant.expires_at ?? ""}
          onChange={(event) => onChange(grant.role, endAfter(event.target.value))}
        >
          <option value="">No end</option>
          {grant.expires_at !== null && (
            <option value={grant.expires_at}>Until {moment(grant.expires_at)}</option>
          )}
          {DAYS.map((days) => (
            <option key={days} value={days}>
              {days === 1 ? "For a day" : `For ${days} days`}
            </option>
          ))}
        </Select>
      </div>
    </li>
  );
}

/** For how long something can be shared. */
const DAYS: readonly number[] = [1, 7, 30, 90];
const DAY_MS = 24 * 60 * 60 * 1000;

/** So many days from now; never, where nothing was chosen; or the end that it has already. */
function endAfter(chosen: string): string | null {
  const days = Number(chosen);
  if (chosen === "" || !DAYS.includes(days)) return chosen || null;
  return new Date(Date.now() + days * DAY_MS).toISOString();
}

/** What tokens are for, in words; the server knows it as scopes. */

import type { Token } from "@/api/accounts/access";
import { moment } from "@/lib/time";

type Scopes = Token["scopes"];

export interface Purpose {
  value: string;
  label: string;
  note: string;
  scopes: Scopes;
  /** The deed without which it would be good for nothing. */
  needs?: string;
}

const CHAT: Scopes = ["chats:read", "chats:write", "files:write", "models:read"];
const OWN: Scopes = [...CHAT, "chats:share", "account"];

const TO_CHAT: Purpose = {
  value: "chat",
  label: "To chat",
  note: "starts chats, sends messages and files",
  scopes: CHAT,
};
const TO_MEASURE: Purpose = {
  value: "metrics",
  label: "To read the metrics",
  note: "and nothing else, for Prometheus",
  scopes: ["metrics:read"],
  needs: "metrics.read",
};

/** For programs of one's own. */
export const PURPOSES: readonly Purpose[] = [
  TO_CHAT,
  { value: "own", label: "All that is yours", note: "also shares, and changes your settings", scopes: OWN },
  TO_MEASURE,
  {
    value: "admin",
    label: "To run the server",
    note: "users, models, settings, audit",
    scopes: [...OWN, "usage:read", "audit:read", "metrics:read", "admin"],
    needs: "people.change",
  },
];

/** For services, which have no account of their own to care for. */
export const SERVICE_PURPOSES: readonly Purpose[] = [
  {
    value: "act_as",
    label: "To speak for others",
    note: "as the service was set up",
    scopes: [...CHAT, "act_as"],
  },
  TO_CHAT,
  TO_MEASURE,
];

const ALL: readonly Purpose[] = [...PURPOSES, ...SERVICE_PURPOSES];

/** Scopes that are no purpose of these are named as they are. */
export function purposeOf(scopes: Scopes): string {
  const same = ({ scopes: others }: Purpose) =>
    others.length === scopes.length && others.every((each) => scopes.includes(each));
  return ALL.find(same)?.label ?? scopes.join(", ");
}

/** How long it counts, and whether anybody needs it. */
export function lifeOf({ expires_at, used_at, created_at }: Token, now: number): string {
  const end =
    expires_at === null
      ? "does not end"
      : `${Date.parse(expires_at) <= now ? "ended" : "ends"} ${moment(expires_at)}`;
  return `made ${moment(created_at)} · ${end} · ${used_at === null ? "never used" : `last used ${moment(used_at)}`}`;
}

/** Asks a person whether a call may run: what it would do, and for which calls the answer counts. */

import { ShieldQuestion, TriangleAlert } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { WaitingFor } from "@/api/types";
import { fieldsOf, readable } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { Button } from "@/ui/Button";
import { Diff } from "@/ui/diff/Diff";
import { Group } from "@/ui/Group";

import { type Decision, type Scope, useSurroundings } from "../actions";
import { Key } from "./Key";
import { Output } from "./Output";
import { useAnswer } from "./useAnswer";
import { useKeys } from "./useKeys";

type Asked = NonNullable<WaitingFor["approval"]>;

const ALLOW: Readonly<Record<Scope, { label: string; key: string }>> = {
  once: { label: "Allow once", key: "y" },
  chat: { label: "Allow in this chat", key: "c" },
  always: { label: "Always allow", key: "a" },
};
const SCOPES: readonly Scope[] = ["once", "chat", "always"];

export function Approval({ waiting }: { waiting: WaitingFor }) {
  const { actions, mayApprove } = useSurroundings();
  const { busy, failure, run } = useAnswer();
  const [isDenying, setDenying] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const asked = waiting.approval;
  const scopes = SCOPES.filter(
    (scope) => scope === "once" || asked?.scopes.some((each) => each.scope === scope),
  );
  const decide = (decision: Decision) => run(() => actions?.decide(waiting, decision));
  const allow = (scope: Scope) => decide({ decision: "allow", scope });
  useKeys(place, actions !== null && mayApprove && !busy && !isDenying, {
    ...Object.fromEntries(scopes.map((scope) => [ALLOW[scope].key, () => allow(scope)])),
    n: () => setDenying(true),
  });
  return (
    <Group
      ref={place}
      label={`Approval of ${waiting.tool_name}`}
      className="my-2 min-w-0 rounded-lg border border-line bg-raised p-4 text-sm"
      data-asks
    >
      <h2 className="flex items-center gap-2 font-medium">
        <ShieldQuestion aria-hidden size={16} className="shrink-0 text-warn" />
        May the agent do this?
      </h2>
      {asked && <WhatItDoes asked={asked} waiting={waiting} />}
      {!mayApprove ? (
        <p className="mt-2 text-muted">The owner of the chat decides.</p>
      ) : actions === null ? null : isDenying ? (
        <Deny busy={busy} onCancel={() => setDenying(false)} onDeny={decide} />
      ) : (
        <div className="mt-3 flex flex-wrap items-center gap-2">
          {scopes.map((scope) => (
            <Button
              key={scope}
              size="small"
              look={scope === "once" ? "primary" : "secondary"}
              disabled={busy}
              title={rulesOf(asked, scope)}
              onClick={() => allow(scope)}
            >
              {ALLOW[scope].label} <Key name={ALLOW[scope].key} />
            </Button>
          ))}
          <Button size="small" look="danger" disabled={busy} onClick={() => setDenying(true)}>
            Deny <Key name="n" />
          </Button>
        </div>
      )}
      {asked && <Rules asked={asked} />}
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </Group>
  );
}

function WhatItDoes({ asked, waiting }: { asked: Asked; waiting: WaitingFor }) {
  const { command } = fieldsOf(waiting.args);
  const isPlain = asked.programs.length === 0 && asked.preview === null;
  return (
    <div className="mt-2 grid min-w-0 gap-2">
      {typeof command === "string" && <Output text={command} label="Command" />}
      {asked.programs.length > 1 && (
        <List name="It runs" entries={asked.programs.map((words) => words.join(" "))} />
      )}
      {asked.preview !== null && <Diff diff={asked.preview} />}
      <List name="It changes" entries={asked.writes} />
      <List name="It reads" entries={asked.reads} />
      <List name="It asks" entries={asked.hosts} />
      {asked.unsure && <Warning>It may run more than that: {visible(asked.unsure)}</Warning>}
      {asked.danger && <Warning>{visible(asked.danger)}</Warning>}
      {isPlain && typeof command !== "string" && <Output text={readable(waiting.args)} label="Arguments" />}
    </div>
  );
}

function List({ name, entries }: { name: string; entries: readonly string[] }) {
  if (entries.length === 0) return null;
  return (
    <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
      <span className="text-muted">{name}</span>
      {entries.slice(0, ENTRIES_MAX).map((entry) => (
        <code key={entry} className="max-w-full truncate rounded bg-sunken px-1.5 py-0.5 text-[0.8125rem]">
          {visible(entry)}
        </code>
      ))}
      {entries.length > ENTRIES_MAX && (
        <span className="text-muted">and {entries.length - ENTRIES_MAX} more</span>
      )}
    </div>
  );
}

const ENTRIES_MAX = 30;

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
      <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

/** What `chat` and `always` would let pass from now on. */
function Rules({ asked }: { asked: Asked }) {
  const wider = asked.scopes.filter((each) => each.scope !== "once" && each.rules.length > 0);
  if (wider.length === 0) return null;
  return (
    <details className="mt-2 text-muted">
      <summary className="cursor-pointer text-xs">What the wider answers allow</summary>
      <ul className="mt-1 list-disc pl-5 text-xs">
        {wider.flatMap((each) =>
          each.rules.map((rule) => (
            <li key={`${each.scope} ${rule}`}>
              {each.scope === "chat" ? "In this chat" : "Always"}: {visible(rule)}
            </li>
          )),
        )}
      </ul>
    </details>
  );
}

interface DenyProps {
  busy: boolean;
  onCancel: () => void;
  onDeny: (decision: Decision) => void;
}

function Deny({ busy, onCancel, onDeny }: DenyProps) {
  const [reason, setReason] = useState("");
  return (
    <form
      className="mt-3 flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny({ decision: "deny", scope: "once", ...(reason.trim() && { reason: reason.trim() }) });
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it appears because a person asked for it
        autoFocus
        aria-label="Why not"
        placeholder="Why not, or what to do instead (may be left empty)"
        value={reason}
        maxLength={10_000}
        onChange={(event) => setReason(event.target.value)}
        className="h-8 min-w-0 flex-1 basis-64 rounded-md border border-line-strong bg-page px-2.5"
      />
      <Button type="submit" size="small" look="danger" busy={busy}>
        Deny
      </Button>
      <Button size="small" look="quiet" onClick={onCancel}>
        Back
      </Button>
    </form>
  );
}

function rulesOf(asked: Asked | undefined, scope: Scope): string | undefined {
  return asked?.scopes.find((each) => each.scope === scope)?.rules.join("\n") || undefined;
}

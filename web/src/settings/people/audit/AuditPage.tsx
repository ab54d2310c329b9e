import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { type AuditEntry, type AuditFilter, useAudit, useVerifyAudit } from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { ROOT } from "@/lib/browser/base";
import { visible } from "@/lib/text/visible";
import { moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Empty, Loaded, More } from "../../Loaded";
import { Page } from "../../Page";
import { Mark, Notice, Row, Rows } from "../../Rows";
import { AuditFilters } from "./AuditFilters";

/** What was done on this server, by whom. */
export default function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const entries = useAudit(filter);
  const verify = useVerifyAudit();
  return (
    <Page
      title="Audit"
      about="Changes to people, access and settings, sign-ins, and administrators who read chats of others. Entries are sealed every hour, so that one that is changed is noticed."
      actions={
        <div className="flex flex-wrap gap-2">
          <Button size="small" busy={verify.isPending} onClick={() => verify.mutate()}>
            <ShieldCheck aria-hidden size={15} /> Verify
          </Button>
          <Button size="small" onClick={() => exportAudit(filter)}>
            <Download aria-hidden size={15} /> Export
          </Button>
        </div>
      }
    >
      {verify.data && (
        <Notice look={verify.data.intact ? "good" : "bad"}>
          {verify.data.intact
            ? `Nothing was changed: ${verify.data.entries} entries under ${verify.data.seals} seals.`
            : "Entries were changed or removed since they were sealed. Keep a copy of the database, and find out who could."}
        </Notice>
      )}
      {verify.isError && <Notice look="bad">{sentence(verify.error)}</Notice>}
      <AuditFilters onChange={setFilter} />
      <Loaded query={entries} what="The audit">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.entries);
          if (found.length === 0)
            return <Empty>Nothing of this was done, or not longer than ten seconds ago.</Empty>;
          return (
            <>
              <Rows label="Entries">
                {found.map((entry) => (
                  <EntryRow key={entry.id} entry={entry} />
                ))}
              </Rows>
              <More query={entries} label="Older" />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const who = entry.actor ? (entry.actor.name ?? "a user who is gone") : "the server";
  const whom = entry.on_behalf_of ? ` for ${entry.on_behalf_of.name ?? "a user who is gone"}` : "";
  const from = entry.address ? `, from ${entry.address}` : "";
  const changes = JSON.stringify(entry.changes);
  return (
    <Row
      title={<code className="text-sm">{entry.deed}</code>}
      marks={entry.outcome === "refused" && <Mark look="warn">Refused</Mark>}
      note={`${moment(entry.at)} · ${visible(who)}${visible(whom)} · ${entry.via}${visible(from)}`}
    >
      {(entry.target_id || changes !== "{}") && (
        <p className="text-xs break-all text-muted">
          {entry.target_kind} {visible(entry.target_name ?? entry.target_id)}{" "}
          {changes !== "{}" && <code>{visible(changes)}</code>}
        </p>
      )}
    </Row>
  );
}

function exportAudit(filter: AuditFilter): void {
  const link = document.createElement("a");
  const query = new URLSearchParams({ format: "csv", ...filter });
  link.href = new URL(`api/v1/audit/export?${query}`, ROOT).href;
  link.download = "audit.csv";
  link.click();
}

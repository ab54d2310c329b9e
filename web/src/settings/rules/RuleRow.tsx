import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import { Link } from "wouter";
import { type Rule, useDeleteRule, useMoveRule, type Verdict } from "@/api/catalog/rules";
import { sentence } from "@/api/errors";
import { moment } from "@/lib/time";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { Mark, type MarkLook, Row } from "../Rows";
import { placeOf } from "./ruleForm";

export const VERDICTS: Readonly<Record<Verdict, { label: string; look: MarkLook; note: string }>> = {
  allow: { label: "Allow", look: "good", note: "It runs" },
  ask: { label: "Ask", look: "warn", note: "You decide each time" },
  deny: { label: "Deny", look: "bad", note: "It never runs" },
};

export function RuleRow({ rule, rules }: { rule: Rule; rules: readonly Rule[] }) {
  const move = useMoveRule();
  const remove = useDeleteRule();
  const { place, last } = placeOf(rules, rule.id);
  const verdict = VERDICTS[rule.verdict];
  const onError = (error: unknown) => toast({ text: sentence(error), bad: true });
  const isBusy = move.isPending || remove.isPending;
  return (
    <Row
      title={<span className="font-mono text-[0.8125rem]">{rule.text}</span>}
      marks={<Mark look={verdict.look}>{verdict.label}</Mark>}
      note={
        rule.source === "user" ? (
          <Made rule={rule} />
        ) : (
          "From the server's settings. It can be changed only there."
        )
      }
      actions={
        rule.source === "user" && (
          <>
            <IconButton
              icon={ArrowUp}
              size="small"
              label={`Try earlier: ${rule.text}`}
              disabled={place === 0 || isBusy}
              onClick={() => move.mutate({ id: rule.id, position: place - 1 }, { onError })}
            />
            <IconButton
              icon={ArrowDown}
              size="small"
              label={`Try later: ${rule.text}`}
              disabled={place === last || isBusy}
              onClick={() => move.mutate({ id: rule.id, position: place + 1 }, { onError })}
            />
            <IconButton
              icon={Trash2}
              size="small"
              label={`Remove: ${rule.text}`}
              disabled={isBusy}
              onClick={() => remove.mutate(rule.id, { onError })}
            />
          </>
        )
      }
    />
  );
}

function Made({ rule }: { rule: Rule }) {
  const when = rule.created_at ? moment(rule.created_at) : null;
  if (rule.origin === null) return when ? `Added ${when}` : null;
  return (
    <>
      Made from a call in{" "}
      <Link href={`/chats/${rule.origin.chat_id}`} className="underline hover:text-text">
        this chat
      </Link>
      {when && `, ${when}`}
    </>
  );
}

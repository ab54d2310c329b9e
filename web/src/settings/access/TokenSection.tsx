import { Plus } from "lucide-react";
import { useState } from "react";
import { type NewToken, type Token, useAddToken, useRevokeToken, useTokens } from "@/api/accounts/access";
import { ROOT } from "@/lib/browser/base";
import { moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/code/CopyButton";
import { Field } from "@/ui/Field";
import { Confirm } from "../form/Confirm";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Empty, Loaded } from "../Loaded";
import { Section } from "../Page";
import { Mark, Row, Rows } from "../Rows";

export function TokenSection() {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewToken | null>(null);
  return (
    <Section
      title="Tokens"
      about={
        <>
          A program that shows one of these may do what you may do. The command line on the server's machine
          has its own.{" "}
          <a className="underline" href={new URL("api/docs", ROOT).href} target="_blank" rel="noreferrer">
            What programs can ask for
          </a>
        </>
      }
      actions={
        <Button size="small" disabled={isAdding} onClick={() => setAdding(true)}>
          <Plus aria-hidden size={15} /> New token
        </Button>
      }
    >
      {isAdding && <NewTokenForm onMade={setMade} onDone={() => setAdding(false)} />}
      {made && <Made token={made} onClose={() => setMade(null)} />}
      <Loaded query={useTokens()} what="Tokens">
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty>You have no tokens. Make one when a program of yours should talk to this server.</Empty>
          ) : (
            <Rows label="Tokens">
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

function NewTokenForm({ onMade, onDone }: { onMade: (token: NewToken) => void; onDone: () => void }) {
  const add = useAddToken();
  const form = useForm({
    initial: { name: "" },
    check: ({ name }): Record<string, string> =>
      name.trim() === "" ? { name: "Say in a few words what it is for." } : {},
    save: async ({ name }) => onMade(await add.mutateAsync(name.trim())),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="New token" save="Make token" onCancel={onDone}>
        <Field label="What it is for" placeholder="Script on my laptop" {...form.text("name")} />
      </SaveForm>
    </div>
  );
}

/** The only time that a token can be read. */
function Made({ token, onClose }: { token: NewToken; onClose: () => void }) {
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg bg-good-soft p-4 text-sm">
      <p>The token “{token.name}” was made. Copy it now: it is not shown again.</p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-page px-3 py-2">
        <code className="min-w-0 flex-1 text-xs break-all">{token.token}</code>
        <CopyButton text={token.token} what="token" />
      </div>
      <Button size="small" className="self-start" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  );
}

function TokenRow({ token }: { token: Token }) {
  const [isRevoking, setRevoking] = useState(false);
  const revoke = useRevokeToken();
  return (
    <Row
      title={token.of_server ? "The server's own token" : token.name}
      marks={token.of_server && <Mark>{token.name[0]?.toUpperCase() + token.name.slice(1)}</Mark>}
      note={`Made ${moment(token.created_at)}`}
      actions={
        !token.of_server && (
          <Button
            size="small"
            look="danger"
            aria-label={`Revoke ${token.name}`}
            onClick={() => setRevoking(true)}
          >
            Revoke
          </Button>
        )
      }
    >
      {isRevoking && (
        <Confirm
          title={`Revoke ${token.name}?`}
          action="Revoke token"
          busy={revoke.isPending}
          error={revoke.error}
          onClose={() => setRevoking(false)}
          onConfirm={() => revoke.mutate(token.id, { onSuccess: () => setRevoking(false) })}
        >
          <p>
            Programs that use it are refused at once, and browsers that were signed in with it are signed out.
          </p>
        </Confirm>
      )}
    </Row>
  );
}

import { Plus } from "lucide-react";
import { useState } from "react";
import { type NewToken, useAddToken, useRevokeToken, useTokens } from "@/api/accounts/access";
import { usePermits } from "@/api/accounts/permits";
import { ROOT } from "@/lib/browser/base";
import { Button } from "@/ui/Button";
import { Secret } from "@/ui/Secret";
import { Empty, Loaded } from "../Loaded";
import { Section } from "../Page";
import { Rows } from "../Rows";
import { NewTokenForm } from "./NewTokenForm";
import { PURPOSES } from "./purposes";
import { TokenRow } from "./TokenRow";

export function TokenSection() {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewToken | null>(null);
  const deeds = usePermits().data;
  const add = useAddToken();
  const revoke = useRevokeToken();
  return (
    <Section
      title="Tokens"
      about={
        <>
          A program that shows one of these may do in your name what the token is for. The command line on the
          server's machine has its own.{" "}
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
      {isAdding && (
        <NewTokenForm
          purposes={PURPOSES.filter(({ needs }) => needs === undefined || deeds?.has(needs))}
          add={add.mutateAsync}
          onMade={setMade}
          onDone={() => setAdding(false)}
        />
      )}
      {made && (
        <Secret secret={made.token} what="token" onClose={() => setMade(null)}>
          {`The token “${made.name}” was made. Copy it now: it is not shown again.`}
        </Secret>
      )}
      <Loaded query={useTokens()} what="Tokens">
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty>You have no tokens. Make one when a program of yours should talk to this server.</Empty>
          ) : (
            <Rows label="Tokens">
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} revoke={revoke} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

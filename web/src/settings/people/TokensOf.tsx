import { useState } from "react";
import type { NewToken } from "@/api/accounts/access";
import {
  useAddServiceToken,
  useRevokeTokenOf,
  useRotateServiceToken,
  useTokensOf,
} from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { Secret } from "@/ui/Secret";
import { NewTokenForm } from "../access/NewTokenForm";
import type { Purpose } from "../access/purposes";
import { TokenRow } from "../access/TokenRow";
import { Loaded } from "../Loaded";
import { Rows } from "../Rows";

interface TokensOfProps {
  user: { id: string; name: string };
  mayChange: boolean;
  /** What administrators can make tokens for; empty: people make theirs themselves. */
  purposes: readonly Purpose[];
}

/** Tokens of somebody else, for administrators: to see what counts, and to end what is lost. */
export function TokensOf({ user, mayChange, purposes }: TokensOfProps) {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewToken | null>(null);
  const add = useAddServiceToken();
  const rotate = useRotateServiceToken();
  const revoke = useRevokeTokenOf(user.id);
  const isMade = mayChange && purposes.length > 0;
  return (
    <>
      {made && (
        <Secret secret={made.token} what="token" onClose={() => setMade(null)}>
          {`This token lets ${user.name} in. Copy it now: it is not shown again.${made.old_until ? ` The secret of before counts until ${moment(made.old_until)}.` : ""}`}
        </Secret>
      )}
      <Loaded query={useTokensOf(user.id)} what="Tokens">
        {({ tokens }) =>
          tokens.length === 0 ? (
            <p className="text-sm text-muted">{user.name} has no tokens.</p>
          ) : (
            <Rows label={`Tokens of ${user.name}`}>
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} revoke={mayChange ? revoke : null}>
                  {isMade && (
                    <Button
                      size="small"
                      aria-label={`Rotate ${token.name}`}
                      onClick={() =>
                        rotate.mutate(
                          { userId: user.id, tokenId: token.id },
                          {
                            onSuccess: setMade,
                            onError: (error) => toast({ text: sentence(error), bad: true }),
                          },
                        )
                      }
                    >
                      Rotate
                    </Button>
                  )}
                </TokenRow>
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isAdding ? (
        <NewTokenForm
          purposes={purposes}
          add={(wanted) => add.mutateAsync({ id: user.id, ...wanted })}
          onMade={setMade}
          onDone={() => setAdding(false)}
        />
      ) : (
        isMade && (
          <Button size="small" className="self-start" onClick={() => setAdding(true)}>
            New token<span className="sr-only"> for {user.name}</span>
          </Button>
        )
      )}
    </>
  );
}

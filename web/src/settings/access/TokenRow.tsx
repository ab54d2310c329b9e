import { type ReactNode, useState } from "react";
import type { Token } from "@/api/accounts/access";
import { capital } from "@/lib/text/words";
import { Button } from "@/ui/Button";
import { Confirm } from "../form/Confirm";
import { Mark, Row } from "../Rows";
import { lifeOf, purposeOf } from "./purposes";

interface Revoke {
  mutate: (tokenId: string, then: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: unknown;
}

interface TokenRowProps {
  token: Token;
  /** Null for who only looks on. */
  revoke: Revoke | null;
  /** Other things that can be done with it. */
  children?: ReactNode;
}

export function TokenRow({ token, revoke, children }: TokenRowProps) {
  const [isRevoking, setRevoking] = useState(false);
  return (
    <Row
      title={token.of_server ? "The server's own token" : token.name}
      marks={token.of_server && <Mark>{capital(token.name)}</Mark>}
      note={[
        !token.of_server && purposeOf(token.scopes),
        token.shown && `${token.shown}…`,
        lifeOf(token, Date.now()),
      ]
        .filter(Boolean)
        .join(" · ")}
      actions={
        revoke &&
        !token.of_server && (
          <>
            {children}
            <Button
              size="small"
              look="danger"
              aria-label={`Revoke ${token.name}`}
              onClick={() => setRevoking(true)}
            >
              Revoke
            </Button>
          </>
        )
      }
    >
      {isRevoking && revoke && (
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

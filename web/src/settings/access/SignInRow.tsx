import type { UseMutationResult } from "@tanstack/react-query";
import type { SignIn } from "@/api/accounts/access";
import { sentence } from "@/api/errors";
import { ago, moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { Mark, Row } from "../Rows";
import { browserOf } from "./browserOf";

const METHODS: Readonly<Record<SignIn["method"], string>> = {
  link: "with a link",
  token: "with a token",
  password: "with a password",
  oidc: "at the identity provider",
};

interface SignInRowProps {
  signIn: SignIn;
  /** By its id; null: who looks at it may not. */
  end: UseMutationResult<unknown, Error, string> | null;
}

export function SignInRow({ signIn, end }: SignInRowProps) {
  const browser = browserOf(signIn.browser);
  const used = ago(signIn.used_at);
  return (
    <Row
      title={browser}
      marks={signIn.current && <Mark look="accent">This browser</Mark>}
      note={`${signIn.address} · ${METHODS[signIn.method]} ${moment(signIn.created_at)} · last used ${used === "now" ? "just now" : `${used} ago`}`}
      actions={
        end !== null &&
        !signIn.current && (
          <Button
            size="small"
            look="danger"
            busy={end.isPending && end.variables === signIn.id}
            aria-label={`Sign out ${browser}`}
            onClick={() =>
              end.mutate(signIn.id, { onError: (error) => toast({ text: sentence(error), bad: true }) })
            }
          >
            Sign out
          </Button>
        )
      }
    />
  );
}

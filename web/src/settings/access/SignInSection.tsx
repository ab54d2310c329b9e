import { type SignIn, useEndSignIn, useSignIns } from "@/api/accounts/access";
import { sentence } from "@/api/errors";
import { ago, moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { Empty, Loaded } from "../Loaded";
import { Section } from "../Page";
import { Mark, Row, Rows } from "../Rows";
import { browserOf } from "./browserOf";

const METHODS: Readonly<Record<SignIn["method"], string>> = {
  link: "with a link",
  token: "with a token",
  password: "with a password",
  oidc: "at the identity provider",
};

export function SignInSection() {
  return (
    <Section title="Sign-ins" about="Browsers in which you are signed in.">
      <Loaded query={useSignIns()} what="Sign-ins">
        {({ sign_ins }) =>
          sign_ins.length === 0 ? (
            <Empty>No browser is signed in. The command chatd link makes a link that signs one in.</Empty>
          ) : (
            <Rows label="Sign-ins">
              {sign_ins.map((signIn) => (
                <SignInRow key={signIn.id} signIn={signIn} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

function SignInRow({ signIn }: { signIn: SignIn }) {
  const end = useEndSignIn();
  const browser = browserOf(signIn.browser);
  const used = ago(signIn.used_at);
  return (
    <Row
      title={browser}
      marks={signIn.current && <Mark look="accent">This browser</Mark>}
      note={`${signIn.address} · ${METHODS[signIn.method]} ${moment(signIn.created_at)} · last used ${used === "now" ? "just now" : `${used} ago`}`}
      actions={
        !signIn.current && (
          <Button
            size="small"
            look="danger"
            busy={end.isPending}
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

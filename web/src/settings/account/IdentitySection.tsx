import { type Identity, joinIdentity, useIdentities } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { ago, moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { Empty, Loaded } from "../Loaded";
import { Section } from "../Page";
import { Row, Rows } from "../Rows";

/** As whom one is known at the identity provider. */
export function IdentitySection({ name }: { name: string }) {
  const identities = useIdentities();

  /** The browser leaves this page, signs in there, and comes back to it. */
  async function join(): Promise<void> {
    try {
      window.location.assign(await joinIdentity());
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    }
  }

  return (
    <Section title="Identity provider" about={`You come in by signing in at ${name}, as one of these.`}>
      <Loaded query={identities} what="Identities">
        {(known) =>
          known.length === 0 ? (
            <Empty
              action={
                <Button size="small" onClick={() => void join()}>
                  Connect to {name}
                </Button>
              }
            >
              You are not known at {name} yet. Once you have signed in there, you can come in by it.
            </Empty>
          ) : (
            <Rows label="Identities">
              {known.map((identity) => (
                <IdentityRow key={`${identity.issuer} ${identity.subject}`} identity={identity} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

/** A proxy that says who somebody is has no address. */
const PROXY = "proxy-header";

function IdentityRow({ identity }: { identity: Identity }) {
  const issuer = identity.issuer === PROXY ? "The proxy in front of this server" : identity.issuer;
  const used = identity.used_at && ago(identity.used_at);
  return (
    <Row
      title={identity.subject}
      note={`${issuer} · joined ${moment(identity.joined_at)}${used ? ` · last sign-in ${used === "now" ? "just now" : `${used} ago`}` : ""}`}
    />
  );
}

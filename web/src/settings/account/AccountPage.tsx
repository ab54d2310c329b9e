import { Link } from "wouter";
import { useAccount, useMethods } from "@/api/accounts/account";
import { usePermits } from "@/api/accounts/permits";
import { Loaded } from "../Loaded";
import { Page, Section } from "../Page";
import { IdentitySection } from "./IdentitySection";
import { NameForm } from "./NameForm";
import { PasswordForm } from "./PasswordForm";

/** Who one is here, and how one comes in. */
export default function AccountPage() {
  const methods = useMethods();
  const mayChange = usePermits().data?.has("account.own") ?? true;
  return (
    <Page
      title="Account"
      about={
        <>
          Who you are here, and how you come in. Programs and browsers that use this server in your name are
          under{" "}
          <Link href="/settings/access" className="underline">
            Tokens and sign-ins
          </Link>
          .
        </>
      }
    >
      <Loaded query={useAccount()} what="Your account">
        {(account) =>
          account && (
            <>
              <Section title="Name">
                <NameForm account={account} isReadOnly={!mayChange} />
              </Section>
              {account.has_password !== null && (
                <Section
                  title="Password"
                  about={
                    account.has_password
                      ? "You can sign in with your name and your password. When you change it, your other browsers are signed out."
                      : "You have none. With one you can sign in by your name, wherever you are."
                  }
                >
                  {mayChange && <PasswordForm key={`${account.has_password}`} account={account} />}
                </Section>
              )}
              {methods.data?.methods.includes("oidc") && mayChange && (
                <IdentitySection name={methods.data.oidc_name ?? "the identity provider"} />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

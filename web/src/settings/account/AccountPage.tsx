import { Link } from "wouter";
import { type Account, useAccount, useMethods } from "@/api/accounts/account";
import { usePermits } from "@/api/accounts/permits";
import { Loaded } from "../Loaded";
import { Page, Section } from "../Page";
import { IdentitySection } from "./IdentitySection";
import { NameForm } from "./NameForm";
import { PasswordForm } from "./PasswordForm";

const ROLES: Readonly<Record<Account["role"], string>> = {
  admin: "You run this server.",
  auditor: "You see users, the audit and numbers about this server, beside your own chats.",
  member: "You start chats of your own.",
  viewer: "You read what is shared with you, and start no chats.",
};

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
              <Section title="Name" about={ROLES[account.role]}>
                <NameForm account={account} isReadOnly={!mayChange} />
              </Section>
              {account.has_password !== null && (
                <Section
                  title="Password"
                  about={
                    account.has_password
                      ? "You can sign in with your name and your password. Who changes it signs their other browsers out."
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

import { useEndSignIn, useSignIns } from "@/api/accounts/access";
import { Empty, Loaded } from "../Loaded";
import { Section } from "../Page";
import { Rows } from "../Rows";
import { SignInRow } from "./SignInRow";

export function SignInSection() {
  const end = useEndSignIn();
  return (
    <Section title="Sign-ins" about="Browsers in which you are signed in.">
      <Loaded query={useSignIns()} what="Sign-ins">
        {({ sign_ins }) =>
          sign_ins.length === 0 ? (
            <Empty>No browser is signed in. The command chatd link makes a link that signs one in.</Empty>
          ) : (
            <Rows label="Sign-ins">
              {sign_ins.map((signIn) => (
                <SignInRow key={signIn.id} signIn={signIn} end={end} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

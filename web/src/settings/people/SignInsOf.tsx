import { useEndSignInOf, useSignInsOf } from "@/api/accounts/people";
import { SignInRow } from "../access/SignInRow";
import { Loaded } from "../Loaded";
import { Rows } from "../Rows";

interface SignInsOfProps {
  user: { id: string; name: string };
  mayChange: boolean;
}

/** Browsers of somebody else, for administrators: to see where they are signed in, and to end what is lost. */
export function SignInsOf({ user, mayChange }: SignInsOfProps) {
  const end = useEndSignInOf(user.id);
  return (
    <Loaded query={useSignInsOf(user.id)} what="Sign-ins">
      {({ sign_ins }) =>
        sign_ins.length === 0 ? (
          <p className="text-sm text-muted">{user.name} is signed in in no browser.</p>
        ) : (
          <Rows label={`Sign-ins of ${user.name}`}>
            {sign_ins.map((signIn) => (
              <SignInRow key={signIn.id} signIn={signIn} end={mayChange ? end : null} />
            ))}
          </Rows>
        )
      }
    </Loaded>
  );
}

import { useTokens } from "@/api/accounts/access";
import { Page } from "../Page";
import { SignInSection } from "./SignInSection";
import { TokenSection } from "./TokenSection";

export default function AccessPage() {
  return (
    <Page
      title="Tokens and sign-ins"
      about="Who can use this server in your name: your programs, and your browsers."
    >
      <TokenSection />
      {/* Below what is on its way, it would move. */}
      <div hidden={useTokens().isPending}>
        <SignInSection />
      </div>
    </Page>
  );
}

/** A link in what a model, a tool or a person has written. */
import type { Tokens } from "marked";
import type { ReactNode } from "react";

import { hostOf, safeHref } from "./syntax/links";

const LOOKS_LIKE_ADDRESS = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?(?:\/|$)/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

export function Link({ token, children }: { token: Tokens.Link; children: ReactNode }) {
  const href = safeHref(token.href);
  if (href === null) return <Nowhere token={token}>{children}</Nowhere>;
  const host = hostOf(href);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
      {isDeceptive(token.text, host) && <span className="md-host"> ({host})</span>}
    </>
  );
}

/** A path of the workspace is shown as such; anything else as it was written. */
function Nowhere({ token, children }: { token: Tokens.Link; children: ReactNode }) {
  if (SCHEME.test(token.href.trim())) return <>{token.raw}</>;
  return (
    <span className="md-path" title={token.href}>
      {children}
    </span>
  );
}

/** Whether it reads as the address of another host than the one it leads to. */
function isDeceptive(text: string, host: string): boolean {
  const shown = LOOKS_LIKE_ADDRESS.exec(text.trim())?.[1]?.toLowerCase();
  return (
    shown !== undefined && shown.replace(/^www\./, "") !== host.replace(/:\d+$/, "").replace(/^www\./, "")
  );
}

/** An image in a text. The page asks no other host for anything, so an image opens only where a reader says so. */
import { ExternalLink, ImageIcon } from "lucide-react";
import type { Tokens } from "marked";

import { hostOf, safeHref } from "./syntax/links";

export function Image({ token }: { token: Tokens.Image }) {
  const name = token.text || "Image";
  const href = safeHref(token.href);
  if (href === null || !href.startsWith("http")) {
    const why = token.href.startsWith("data:") ? "left out" : token.href;
    return (
      <span className="md-image">
        <ImageIcon aria-hidden size={14} />
        <span>
          {name} ({why})
        </span>
      </span>
    );
  }
  return (
    <a className="md-image" href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      <ImageIcon aria-hidden size={14} />
      <span>{name}</span>
      <span className="md-host">Open image from {hostOf(href)}</span>
      <ExternalLink aria-hidden size={12} />
    </a>
  );
}

import { Link2 } from "lucide-react";

import { visible } from "@/lib/text/visible";
import { hostOf, safeHref } from "@/ui/markdown/syntax/links";

/** A page that something was read on: its title and its host. */
export function SourceLink({ url, title = "" }: { url: string; title?: string }) {
  const href = safeHref(url);
  if (href === null) return <span className="text-sm text-muted">{visible(title || url)}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={href}
      className="inline-flex max-w-full items-center gap-1.5 rounded-md text-sm hover:underline"
    >
      <Link2 aria-hidden size={13} className="shrink-0 text-muted" />
      <span className="truncate">{visible(title) || href}</span>
      <span className="shrink-0 text-xs text-muted">{hostOf(href)}</span>
    </a>
  );
}

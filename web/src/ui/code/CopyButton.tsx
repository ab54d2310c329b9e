import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

import { visible } from "@/lib/text/visible";

const SHOWN_MS = 1_500;

/** Copies exactly what is shown: characters that cannot be seen do not reach the clipboard as such. */
export function CopyButton({ text, what = "text", label }: { text: string; what?: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  const name = copied ? "Copied" : `Copy ${what}`;
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={name}
      title={name}
      onClick={() => {
        void navigator.clipboard?.writeText(visible(text)).then(() => setCopied(true));
      }}
    >
      <Icon aria-hidden size={14} />
      {label !== undefined && <span>{copied ? "Copied" : label}</span>}
    </button>
  );
}

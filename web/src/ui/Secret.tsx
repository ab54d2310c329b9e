import { Button } from "./Button";
import { CopyButton } from "./code/CopyButton";

interface SecretProps {
  /** What it is and what to do with it. */
  children: string;
  secret: string;
  what: string;
  onClose: () => void;
}

/** Something that can be read this once: a link, a token. */
export function Secret({ children, secret, what, onClose }: SecretProps) {
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg bg-good-soft p-4 text-sm">
      <p>{children}</p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-page px-3 py-2">
        <code className="min-w-0 flex-1 text-xs break-all">{secret}</code>
        <CopyButton text={secret} what={what} />
      </div>
      <Button size="small" className="self-start" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  );
}

/** What a message refers to: lines of files, files that were read into the context, skills. */
import { BookOpen, FileCode, FileText, type LucideIcon, ShieldAlert } from "lucide-react";
import { useState } from "react";

import { visible } from "@/lib/text/visible";
import { CodeBlock } from "@/ui/code/CodeBlock";
import { languageOfPath } from "@/ui/code/languages";

import type { PartProps } from "./index";

export function FileReferencePart({ part }: PartProps<"file-reference">) {
  const [isOpen, setOpen] = useState(false);
  const { start_line: start, end_line: end } = part;
  const lines = start ? (end && end !== start ? `:${start}–${end}` : `:${start}`) : "";
  const chip = <Chip icon={FileCode} text={`${part.file_name}${lines}`} />;
  if (!part.content) return chip;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="max-w-full rounded-md"
      >
        {chip}
      </button>
      {isOpen && (
        <CodeBlock
          code={part.content}
          language={languageOfPath(part.file_name)}
          title={visible(part.file_name)}
        />
      )}
    </>
  );
}

export function ContextFilePart({ part }: PartProps<"context-file">) {
  const cut = part.context_file_truncated ? " (in part)" : "";
  return <Chip icon={FileText} text={`${part.context_file_path}${cut}`} />;
}

export function SkillPart({ part }: PartProps<"skill">) {
  return <Chip icon={BookOpen} text={part.skill_name} title={part.skill_description ?? undefined} />;
}

export function HookNoticePart({ part }: PartProps<"hook-notice">) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <ShieldAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words whitespace-pre-wrap">{visible(part.text)}</span>
    </p>
  );
}

function Chip({ icon: Icon, text, title }: { icon: LucideIcon; text: string; title?: string }) {
  return (
    <span
      title={title && visible(title)}
      className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 py-0.5 align-middle text-[0.8125rem]"
    >
      <Icon aria-hidden size={13} className="shrink-0 text-muted" />
      <span className="truncate font-mono">{visible(text)}</span>
    </span>
  );
}

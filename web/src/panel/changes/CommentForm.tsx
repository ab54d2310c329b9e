import { useState } from "react";
import { Button } from "@/ui/Button";

interface CommentFormProps {
  /** Which lines it is about, in words. */
  about: string;
  onAdd: (comment: string) => void;
  onCancel: () => void;
}

export function CommentForm({ about, onAdd, onCancel }: CommentFormProps) {
  const [comment, setComment] = useState("");
  const isEmpty = comment.trim() === "";
  return (
    <form
      className="flex flex-col gap-2 border-t border-line bg-raised p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) onAdd(comment.trim());
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it was opened to be written in
        autoFocus
        rows={2}
        aria-label={`Comment on ${about}`}
        placeholder={`Comment on ${about}`}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit();
        }}
        className="w-full resize-y rounded-md border border-line bg-page px-2 py-1 text-sm"
      />
      <div className="flex gap-2">
        <Button type="submit" size="small" look="primary" disabled={isEmpty}>
          Add to message
        </Button>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

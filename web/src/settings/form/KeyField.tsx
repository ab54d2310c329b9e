import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";

interface KeyFieldProps {
  label: string;
  help?: string;
  placeholder?: string;
  name?: string;
  value: string;
  error?: string;
  onChange: (event: { target: { value: string } }) => void;
}

/** A secret that is being entered. Browsers must neither fill it nor keep it as a password. */
export function KeyField(props: KeyFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="relative">
      <Field
        {...props}
        type={isShown ? "text" : "password"}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
        className="pr-10 font-mono"
      />
      <IconButton
        icon={isShown ? EyeOff : Eye}
        size="small"
        label={isShown ? `Hide what is entered: ${props.label}` : `Show what is entered: ${props.label}`}
        className="absolute top-7 right-1"
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}

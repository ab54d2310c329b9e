import { useState } from "react";
import { prefer, usePreference } from "@/lib/kept/preferences";
import { chooseTheme, chosenTheme, type Theme } from "@/lib/kept/theme";
import { Choice } from "../form/Choice";
import { Page } from "../Page";

const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "");
const MODIFIER = IS_MAC ? "⌘" : "Ctrl";

/** Kept in this browser: each device may have its own. */
export function AppearancePage() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <Page title="Appearance" about="How this browser shows chats. Other devices have their own choices.">
      <Choice
        label="Theme"
        value={theme}
        options={[
          { value: "system", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        onChange={(value) => {
          chooseTheme(value);
          setTheme(value);
        }}
      />
      <Choice
        label="Width of chats"
        value={usePreference("chat.width")}
        options={[
          { value: "normal", label: "Comfortable", note: "Lines that are easy to read" },
          { value: "wide", label: "Wide", note: "More room for code and tables" },
        ]}
        onChange={(value) => prefer("chat.width", value)}
      />
      <Choice
        label="Send a message with"
        help="On phones Enter always begins a new line, and the button sends."
        value={usePreference("send.with")}
        options={[
          { value: "enter", label: "Enter", note: "Shift+Enter begins a new line" },
          { value: "mod-enter", label: `${MODIFIER}+Enter`, note: "Enter begins a new line" },
        ]}
        onChange={(value) => prefer("send.with", value)}
      />
      <Choice
        label="Thinking of models"
        value={usePreference("show.reasoning")}
        options={[
          { value: "auto", label: "While it thinks", note: "Folded afterwards" },
          { value: "preview", label: "A few lines", note: "The newest ones" },
          { value: "open", label: "Always open" },
          { value: "closed", label: "Folded", note: "Opened by a click" },
        ]}
        onChange={(value) => prefer("show.reasoning", value)}
      />
      <Choice
        label="Tools"
        value={usePreference("show.tools")}
        options={[
          { value: "auto", label: "As it fits", note: "Open where there is something to see" },
          { value: "open", label: "Always open" },
          { value: "closed", label: "Folded", note: "One line for each call" },
        ]}
        onChange={(value) => prefer("show.tools", value)}
      />
    </Page>
  );
}

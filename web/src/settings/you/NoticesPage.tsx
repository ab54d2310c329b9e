import { useState } from "react";
import { askForNotices, chime, type NoticeState, noticeState } from "@/lib/browser/notices";
import { prefer, usePreference } from "@/lib/kept/preferences";
import { Check } from "@/ui/Check";
import { Page } from "../Page";
import { Notice } from "../Rows";

const WHY_NOT: Partial<Record<NoticeState, string>> = {
  unsupported:
    "This browser lets pages show no notices, or not at this address: they need https or localhost.",
  blocked: "This browser blocks notices of this page. Allow them in what it shows beside the address.",
};

/** Kept in this browser: each device may have its own. */
export function NoticesPage() {
  const [state, setState] = useState(noticeState);
  const isWanted = usePreference("notice.system") === "on";
  const hasSound = usePreference("notice.sound") === "on";

  async function want(on: boolean): Promise<void> {
    const now = on ? await askForNotices() : state;
    setState(now);
    prefer("notice.system", on && now === "allowed" ? "on" : "off");
  }

  return (
    <Page
      title="Notices"
      about="When an agent is done, has failed or needs you, and you do not look at its chat. This page has to be open in a tab."
    >
      <Check
        label="Show a notice of the system"
        checked={isWanted && state === "allowed"}
        disabled={WHY_NOT[state] !== undefined}
        onChange={(on) => void want(on)}
      />
      {WHY_NOT[state] && <Notice look="warn">{WHY_NOT[state]}</Notice>}
      <Check
        label="Play a sound"
        checked={hasSound}
        onChange={(on) => {
          prefer("notice.sound", on ? "on" : "off");
          if (on) chime();
        }}
      />
    </Page>
  );
}

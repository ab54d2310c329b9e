import { Keyboard, LogOut, Monitor, Moon, Settings, Sun, UserRound } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { signOut, useAccount } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { ROOT } from "@/lib/browser/base";
import { forgetAllDrafts } from "@/lib/kept/draft";
import { chooseTheme, chosenTheme, type Theme } from "@/lib/kept/theme";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";

const THEMES: Record<Theme, { label: string; icon: typeof Sun }> = {
  system: { label: "As the system", icon: Monitor },
  light: { label: "Light", icon: Sun },
  dark: { label: "Dark", icon: Moon },
};

/** Below the list: who is signed in, the settings, and the look of the page. */
export function Footer({ onShortcuts }: { onShortcuts: () => void }) {
  const { data: account } = useAccount();
  const [theme, setTheme] = useState(chosenTheme);
  const [, navigate] = useLocation();

  async function leave(): Promise<void> {
    try {
      await signOut();
      forgetAllDrafts();
      // What is in memory goes too.
      window.location.assign(ROOT);
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    }
  }

  const items: MenuItem[] = [
    { heading: "Theme" },
    ...(Object.keys(THEMES) as Theme[]).map((each) => ({
      ...THEMES[each],
      checked: each === theme,
      onSelect: () => {
        chooseTheme(each);
        setTheme(each);
      },
    })),
    "line",
    { label: "Your account", icon: UserRound, onSelect: () => navigate("/settings/account") },
    { label: "Keyboard shortcuts", icon: Keyboard, shortcut: "?", onSelect: onShortcuts },
    { label: "Sign out", icon: LogOut, onSelect: () => void leave() },
  ];
  return (
    <div className="flex items-center gap-1">
      <Menu items={items} align="start" side="top">
        <button
          type="button"
          className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md px-2.5 text-sm hover:bg-hover"
        >
          <UserRound aria-hidden size={16} className="shrink-0 text-muted" />
          <span className="truncate">{account?.display_name || account?.name || "You"}</span>
        </button>
      </Menu>
      <IconButton icon={Settings} label="Settings" onClick={() => navigate("/settings")} />
    </div>
  );
}

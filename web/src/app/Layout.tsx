import { PanelLeftOpen, SquarePen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { useMayStart } from "@/api/accounts/permits";
import { Offers } from "@/chats/Offers";
import { Sidebar } from "@/chats/Sidebar";
import { keysOf, useShortcut } from "@/lib/browser/shortcuts";
import { useIsPhone } from "@/lib/browser/useMedia";
import { useKept } from "@/lib/kept/useKept";
import { useListStream } from "@/live/chatList";
import { IconButton } from "@/ui/IconButton";
import { Resizer } from "@/ui/Resizer";
import { CommandPalette } from "./CommandPalette";
import { Footer } from "./Footer";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { useNews } from "./useNews";

const WIDTH = { least: 240, usual: 320, most: 660 };
/** A wide list never leaves the chat less than this. */
const CHAT_WIDTH_MIN = 360;

/** The list of chats beside what is open; on a phone, one of both. */
export function Layout({ children }: { children: ReactNode }) {
  useListStream(useNews());
  const isPhone = useIsPhone();
  const [location, navigate] = useLocation();
  const [, open] = useRoute<{ id: string }>("/chats/:id");
  const [width, setWidth] = useKept("sidebar.width", WIDTH.usual);
  const [hidden, setHidden] = useKept("sidebar.hidden", false);
  const [shown, setShown] = useState<"palette" | "help" | null>(null);
  const toList = () => navigate(`/${window.location.search}`);
  const mayStart = useMayStart();
  const startNew = () => navigate(`/new${window.location.search}`);
  useShortcut("palette", () => setShown("palette"));
  useShortcut("help", () => setShown("help"));
  useShortcut("newChat", () => mayStart && startNew());
  useShortcut("sidebar", () => setHidden(!hidden));

  const sidebar = (
    <Sidebar
      openId={open?.id ?? null}
      onNew={mayStart ? startNew : null}
      onSearch={() => setShown("palette")}
      onCollapse={isPhone ? null : () => setHidden(true)}
      footer={<Footer onShortcuts={() => setShown("help")} />}
    />
  );
  return (
    <div className="flex h-full">
      {isPhone ? (
        location === "/" && <main className="w-full">{sidebar}</main>
      ) : hidden ? (
        <div className="flex w-12 shrink-0 flex-col items-center gap-1 border-r border-line bg-side pt-2">
          <IconButton
            icon={PanelLeftOpen}
            label="Show the list"
            shortcut={keysOf("sidebar")}
            onClick={() => setHidden(false)}
          />
          {mayStart && (
            <IconButton icon={SquarePen} label="New chat" shortcut={keysOf("newChat")} onClick={startNew} />
          )}
          <Offers isNarrow onAccepted={(chatId) => navigate(`/chats/${chatId}`)} />
        </div>
      ) : (
        <>
          <div
            className="shrink-0"
            style={{ width: `min(${width}px, max(${WIDTH.least}px, 100vw - ${CHAT_WIDTH_MIN}px))` }}
          >
            {sidebar}
          </div>
          <Resizer label="Width of the list" width={width} bounds={WIDTH} onChange={setWidth} />
        </>
      )}
      {!(isPhone && location === "/") && <div className="flex min-w-0 flex-1 flex-col">{children}</div>}
      <CommandPalette
        open={shown === "palette"}
        onClose={() => setShown(null)}
        onNew={mayStart ? startNew : null}
        onList={toList}
        onShortcuts={() => setShown("help")}
      />
      <ShortcutsDialog open={shown === "help"} onClose={() => setShown(null)} />
    </div>
  );
}

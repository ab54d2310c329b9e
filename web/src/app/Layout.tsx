import type { ReactNode } from "react";

/** The list of chats beside what is open. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <div className="flex h-full">
      <nav aria-label="Chats" className="w-80 shrink-0 border-r border-line bg-side p-3">
        <p className="font-semibold">chatd</p>
      </nav>
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
    </div>
  );
}

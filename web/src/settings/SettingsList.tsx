import { Link } from "wouter";
import { usePermits } from "@/api/accounts/permits";
import { classes } from "@/lib/classes";
import { GROUPS } from "./pages";

/** The pages, at the left. On phones they are a page themselves. */
export function SettingsList({ open }: { open: string | null }) {
  const permits = usePermits();
  // Until it is known, nothing is shown that may vanish.
  const offered = GROUPS.map(({ label, pages }) => ({
    label,
    pages: pages.filter(({ needs }) => needs === undefined || permits.data?.has(needs)),
  })).filter(({ pages }) => pages.length > 0);
  return (
    <nav
      aria-label="Settings"
      className={classes(
        "w-full shrink-0 overflow-y-auto p-4 md:block md:w-64 md:border-r md:border-line md:px-3 md:py-6",
        open !== null && "hidden",
      )}
    >
      <h2 className="px-2.5 text-lg font-semibold md:sr-only">Settings</h2>
      {offered.map((group) => (
        <section
          key={group.label}
          aria-label={group.label}
          className="mt-5 first-of-type:mt-4 md:first-of-type:mt-0"
        >
          <h3 className="px-2.5 pb-1 text-xs font-medium text-muted">{group.label}</h3>
          <ul>
            {group.pages.map(({ path, label, icon: Icon }) => (
              <li key={path}>
                <Link
                  href={`/settings/${path}`}
                  aria-current={open === path ? "page" : undefined}
                  className={classes(
                    "flex items-center gap-2.5 rounded-md px-2.5 py-2 text-sm transition-colors md:py-1.5",
                    open === path ? "bg-hover font-medium" : "text-text hover:bg-hover",
                  )}
                >
                  <Icon aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

import type { ReactNode } from "react";

interface PageProps {
  title: string;
  /** One or two sentences: what it is for. */
  about?: ReactNode;
  /** At the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** One page of the settings. */
export function Page({ title, about, actions, children }: PageProps) {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-xl font-semibold">{title}</h1>
          {about && <p className="mt-1 max-w-prose text-sm text-muted">{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {about && <p className="-mt-2 max-w-prose text-sm text-muted">{about}</p>}
      {children}
    </section>
  );
}

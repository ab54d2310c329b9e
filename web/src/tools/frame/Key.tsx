/** The key that does the same as the button it is on. */
export function Key({ name }: { name: string }) {
  return (
    <kbd
      aria-hidden
      className="ml-0.5 hidden rounded border border-current px-1 font-sans text-[0.6875rem] leading-4 sm:inline"
    >
      {name.toUpperCase()}
    </kbd>
  );
}

/** Everything below /settings; loaded when it is first opened. */
export default function SettingsPages() {
  return (
    <main className="p-6">
      <h1 className="text-lg font-semibold">Settings</h1>
    </main>
  );
}

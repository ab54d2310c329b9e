import { Link2 } from "lucide-react";
import { useState } from "react";
import {
  type Included,
  type LinkWish,
  type PublicLink,
  useEndLink,
  useLinks,
  useMakeLink,
} from "@/api/chats/publicLinks";
import { sentence } from "@/api/errors";
import { publicLinkWith } from "@/lib/browser/base";
import { moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Check } from "@/ui/Check";
import { Select } from "@/ui/Field";
import { Secret } from "@/ui/Secret";
import { Spinner } from "@/ui/Spinner";
import { seen } from "./guestsSee";

const DAYS = [1, 7, 30, 90];
const NAMES: Readonly<Record<Included, string>> = {
  reasoning: "Reasoning of the agent",
  tools: "What tools were given and came to",
  files: "Files",
};
const USUAL: LinkWish = { days: 7, live: false, include: [] };

/** Links with which anybody reads the chat: those that there are, and a form for another one. */
export function PublicLinks({ chatId }: { chatId: string }) {
  const links = useLinks(chatId);
  const make = useMakeLink(chatId);
  const end = useEndLink(chatId);
  const [wish, setWish] = useState<LinkWish | null>(null);
  const failed = make.error ?? end.error ?? links.error;
  return (
    <section aria-labelledby="public-links" className="flex flex-col gap-3 border-t border-line pt-4">
      <div>
        <h3 id="public-links" className="text-sm font-semibold">
          Public links
        </h3>
        <p className="text-xs text-muted">Whoever has such a link reads this chat without signing in.</p>
      </div>
      {links.isPending && <Spinner label="Loading its public links" />}
      {links.data && links.data.links.length > 0 && (
        <ul aria-label="Public links" className="flex flex-col gap-2">
          {links.data.links.map((link) => (
            <LinkRow key={link.id} link={link} onEnd={() => end.mutate(link.id)} />
          ))}
        </ul>
      )}
      {make.data && (
        <Secret secret={publicLinkWith(make.data.code)} what="link" onClose={make.reset}>
          {`This link is shown only now. It ends on ${moment(make.data.expires_at)}.`}
        </Secret>
      )}
      {wish === null ? (
        <Button size="small" className="self-start" onClick={() => setWish(USUAL)}>
          <Link2 aria-hidden size={15} /> New public link
        </Button>
      ) : (
        <LinkForm
          wish={wish}
          busy={make.isPending}
          onChange={setWish}
          onMake={() => make.mutate(wish, { onSuccess: () => setWish(null) })}
          onCancel={() => setWish(null)}
        />
      )}
      {failed && (
        <p role="alert" className="text-sm text-bad">
          {sentence(failed)}
        </p>
      )}
    </section>
  );
}

interface LinkFormProps {
  wish: LinkWish;
  busy: boolean;
  onChange: (wish: LinkWish) => void;
  onMake: () => void;
  onCancel: () => void;
}

function LinkForm({ wish, busy, onChange, onMake, onCancel }: LinkFormProps) {
  const include = (name: Included, is: boolean) =>
    onChange({ ...wish, include: [...wish.include.filter((each) => each !== name), ...(is ? [name] : [])] });
  return (
    <form
      aria-label="New public link"
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onMake();
      }}
    >
      <Select
        label="Ends after"
        value={wish.days}
        onChange={(event) => onChange({ ...wish, days: Number(event.target.value) })}
      >
        {DAYS.map((days) => (
          <option key={days} value={days}>
            {days === 1 ? "1 day" : `${days} days`}
          </option>
        ))}
      </Select>
      <Check
        label="Follow the chat"
        help="Guests see what is said from now on, as it is said."
        checked={wish.live}
        onChange={(live) => onChange({ ...wish, live })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Also show</legend>
        {(Object.keys(NAMES) as Included[]).map((name) => (
          <Check
            key={name}
            label={NAMES[name]}
            checked={wish.include.includes(name)}
            onChange={(is) => include(name, is)}
          />
        ))}
      </fieldset>
      <p className="rounded-md bg-sunken px-3 py-2 text-xs">{seen(wish)}</p>
      <div className="flex justify-end gap-2">
        <Button size="small" look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" type="submit" look="primary" busy={busy}>
          Make the link
        </Button>
      </div>
    </form>
  );
}

function timesOpened(count: number): string {
  if (count === 0) return "Not opened yet.";
  return count === 1 ? "Opened once." : `Opened ${count} times.`;
}

function LinkRow({ link, onEnd }: { link: PublicLink; onEnd: () => void }) {
  const shown = [link.live ? "live" : `up to ${moment(link.made_at)}`, ...link.include].join(", ");
  return (
    <li className="flex items-center gap-2">
      <span className="min-w-0 flex-1 text-sm">
        <span className="block">Ends {moment(link.expires_at)}</span>
        <span className="block text-xs text-muted">
          Shows words {shown}. {timesOpened(link.opened)}
        </span>
      </span>
      <Button
        size="small"
        look="quiet"
        aria-label={`End now the link that ends ${moment(link.expires_at)}`}
        onClick={onEnd}
      >
        End now
      </Button>
    </li>
  );
}

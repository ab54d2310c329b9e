/** Every state of every part and card on one page, for people who change them, and for tests. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";

import { Blocks } from "@/parts/Blocks";
import { type ChatActions, type Surroundings, SurroundingsContext } from "@/tools/actions";
import { Tooltips } from "@/ui/overlay/Tooltip";

import type { Chapter, Story } from "./story";

const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

/** What it is told goes nowhere. */
const NOBODY: ChatActions = { decide: async () => {}, answer: async () => {} };

const SURROUNDINGS: Surroundings = {
  actions: NOBODY,
  mayApprove: true,
  children: {
    working: { title: "Look at settings", status: "running" },
    asks: { title: "Look at tests", status: "requires_action" },
    done: { title: "Look at settings", status: "waiting" },
  },
  fates: { killed: "killed", terminated: "terminated" },
  chatHref: (chatId) => `#${chatId}`,
};

export function Gallery({
  chapters,
  actions = NOBODY,
}: {
  chapters: readonly Chapter[];
  actions?: ChatActions;
}) {
  return (
    <QueryClientProvider client={queries}>
      <Tooltips>
        <main className="mx-auto h-full max-w-3xl overflow-y-auto px-4 py-8">
          <h1 className="text-xl font-semibold">Gallery</h1>
          {chapters.map((chapter) => (
            <div key={chapter.name}>
              <h2 className="mt-10 mb-2 border-b border-line pb-1 font-mono text-sm">{chapter.name}</h2>
              {chapter.stories.map((story) => (
                <ShowStory key={story.name} story={story} actions={actions} />
              ))}
            </div>
          ))}
        </main>
      </Tooltips>
    </QueryClientProvider>
  );
}

function ShowStory({ story, actions }: { story: Story; actions: ChatActions }) {
  const { role = "assistant", live = false, readOnly = false } = story;
  return (
    <SurroundingsContext value={{ ...SURROUNDINGS, actions: readOnly ? null : actions }}>
      <article aria-label={story.name} className="mt-4">
        <p className="mb-1 text-xs text-muted">{story.name}</p>
        <Blocks blocks={story.blocks} chatId="gallery" role={role} live={live} />
      </article>
    </SurroundingsContext>
  );
}

import { useAdvisor, useServerSettings } from "@/api/catalog/settings";
import { Loaded } from "../Loaded";
import { Page, Section } from "../Page";
import { AdvisorForm } from "./AdvisorForm";
import { CompactionForm } from "./CompactionForm";
import { DebugGateForm } from "./DebugGateForm";
import { SubagentsForm } from "./SubagentsForm";

export function ServerAgentsPage() {
  const advisor = useAdvisor();
  const settings = useServerSettings();
  return (
    <Page
      title="Advisor and compaction"
      about="What counts for the chats of all users, from their next turn on."
    >
      <Section
        title="Advisor"
        about="A second model, without tools, that agents ask how to go on when they are stuck."
      >
        <Loaded query={advisor} what="The advisor">
          {(data) => <AdvisorForm advisor={data} />}
        </Loaded>
      </Section>
      {/* Below what is on its way, they would move. */}
      {!advisor.isPending && (
        <Loaded query={settings} what="The settings">
          {(data) =>
            data && (
              <>
                <Section title="Compaction" about="Who writes the summary of a long chat.">
                  <CompactionForm settings={data} />
                </Section>
                <Section title="Subagents" about="Which models agents have that work for others.">
                  <SubagentsForm settings={data} />
                </Section>
                <Section title="Debug records">
                  <DebugGateForm settings={data} />
                </Section>
              </>
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

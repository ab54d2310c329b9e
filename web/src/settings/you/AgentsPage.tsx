import { useModelList } from "@/api/catalog/providers";
import { useOwnSettings } from "@/api/catalog/settings";
import { Loaded } from "../Loaded";
import { Page, Section } from "../Page";
import { DebugForm } from "./DebugForm";
import { OwnModelForm } from "./OwnModelForm";
import { OwnSubagentsForm } from "./OwnSubagentsForm";
import { ThresholdsForm } from "./ThresholdsForm";

export function AgentsPage() {
  const settings = useOwnSettings();
  const models = useModelList();
  return (
    <Page title="Agents and compaction" about="What counts for all of your chats.">
      <Loaded query={settings} what="Your settings">
        {(own) => (
          <>
            <Section title="Model">
              <OwnModelForm settings={own} />
            </Section>
            <Section
              title="Compaction"
              about="When a chat fills this share of what its model can hold, its older part is replaced by a summary. Lower means sooner."
            >
              <ThresholdsForm settings={own} />
            </Section>
            {/* Below models that are on their way, they would move. */}
            {!models.isPending && (
              <>
                <Section
                  title="Subagents"
                  about="Agents hand parts of their work to others. Here you choose which models those have."
                >
                  <OwnSubagentsForm settings={own} />
                </Section>
                <Section title="Debug records">
                  <DebugForm settings={own} />
                </Section>
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

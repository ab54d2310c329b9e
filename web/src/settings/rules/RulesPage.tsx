import { Plus } from "lucide-react";
import { useState } from "react";
import { type Rule, useRules } from "@/api/catalog/rules";
import { Button } from "@/ui/Button";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Notice, Rows } from "../Rows";
import { AddRule } from "./AddRule";
import { RuleRow } from "./RuleRow";

export function RulesPage() {
  const rules = useRules();
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title="Approval rules"
      about="Before an agent uses a tool, these rules are tried from the top: the first one that fits decides. Without one, reading in the workspace is allowed, changes and commands are asked for, and the rest is denied."
      actions={
        <Button onClick={() => setAdding(true)} disabled={isAdding}>
          <Plus aria-hidden size={16} /> Add rule
        </Button>
      }
    >
      {isAdding && <AddRule onDone={() => setAdding(false)} />}
      <Loaded query={rules} what="Rules">
        {(list) => (
          <>
            {!list.asks && (
              <Notice look="warn">This server asks nobody: what a rule would ask for just runs.</Notice>
            )}
            <RuleRows rules={list.rules} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function RuleRows({ rules }: { rules: readonly Rule[] }) {
  if (rules.length === 0)
    return (
      <Empty>
        There are no rules yet. Add one here, or answer “always” when an agent asks: the rule is then made
        from that call.
      </Empty>
    );
  return (
    <Rows label="Rules, in the order in which they are tried" ordered>
      {rules.map((rule) => (
        <RuleRow key={rule.id} rule={rule} rules={rules} />
      ))}
    </Rows>
  );
}

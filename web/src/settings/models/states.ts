/** How a model stands, in a word and a sentence: a row for each reason. */

import type { ModelView } from "@/api/catalog/providers";
import type { MarkLook } from "../Rows";

type Reason = NonNullable<ModelView["unavailable_reason"]>;

interface State {
  word: string;
  look: MarkLook;
  /** What to do about it. */
  help: string;
}

const STATES: Readonly<Record<Reason, State>> = {
  missing_api_key: { word: "No key", look: "warn", help: "Its provider has no key. Enter one there." },
  user_api_key_required: {
    word: "Needs your key",
    look: "warn",
    help: "Enter a key of your own under Your keys.",
  },
  model_disabled: { word: "Off", look: "plain", help: "It is switched off." },
  provider_disabled: { word: "Provider off", look: "plain", help: "Its provider is switched off." },
  address_refused: {
    word: "Address refused",
    look: "bad",
    help: "Its provider's address is not allowed here.",
  },
};

export const stateOf = (model: ModelView): State | null =>
  model.unavailable_reason === null ? null : STATES[model.unavailable_reason];

import { createContext, useContext } from "react";
import type { Message } from "@/api/types";

/** A message of the user that is being written anew: the composer has its text. */
export interface Editing {
  message: Message;
}

interface EditingState {
  editing: Editing | null;
  setEditing: (editing: Editing | null) => void;
}

export const EditingContext = createContext<EditingState>({ editing: null, setEditing: () => undefined });

export const useEditing = () => useContext(EditingContext);

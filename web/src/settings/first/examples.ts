/** Scripts for the scripted model that show what chats can do, without a key. */

export interface Example {
  title: string;
  about: string;
  script: string;
  mode?: "plan";
  /** It changes something in the workspace, so there must be one. */
  needsWorkspace?: true;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: "See tools at work",
    about: "Thinking, a tool with live output, and two calls at once.",
    script: `think The user wants to see tools. I begin with one that takes its time.
say Here is a tool whose output you can watch.
call show {"text": "one two three four five six", "pieces": 6, "seconds": 3}
next
say And now two at once.
call echo {"text": "quick"}
call wait {"seconds": 2}
next
say Both are done. **Nothing of this was AI**: a script in your message said what to do.`,
  },
  {
    title: "Be asked for approval",
    about: "A command that waits until you allow it.",
    needsWorkspace: true,
    script: `say I would like to write a file. You are asked first.
call execute {"command": "echo Hello from chatd > hello.txt"}
next
say That is all. Open the details at the right to see what has changed, and to bring it back.`,
  },
  {
    title: "Look at a plan",
    about: "The agent plans first, and waits for your word.",
    mode: "plan",
    script: `say I look around first, and then propose what to do.
call propose_plan {"plan": "# A small plan\\n\\n1. Read what is there.\\n2. Change **one** thing.\\n3. Try it out."}
next
say Thank you. With a real model, the work would begin now.`,
  },
];

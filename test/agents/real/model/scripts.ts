/**
 * What the model does in each situation: known bytes, which are the oracle of every check. A step is one answer; its tools are bound to
 * whatever the agent offers.
 */
export type ScriptedTool =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "shell"; readonly command: string };

export interface Step {
  readonly text: string;
  readonly tools?: readonly ScriptedTool[];
  /** While the model is told to hang: what it never gets to the end of. */
  readonly hangsIn?: "text" | "arguments";
}

const write = (path: string, content: string): ScriptedTool => ({ kind: "write", path, content });
const shell = (command: string): ScriptedTool => ({ kind: "shell", command });

/** Longer than any run: what is left running lives until somebody ends it. */
export const SLOW_SECONDS = 3600;

export const LONG_TEXT = `${"abcdefghij ".repeat(400)}end\n`;
export const STREAMED =
  "Now I explain at length what I have done so far and what remains to be done. ".repeat(30);

export const SCRIPTS = {
  clean: [
    { text: "I will create notes.txt.", tools: [write("notes.txt", "line one\n")] },
    { text: "Now I append to it.", tools: [shell('echo "line two" >> notes.txt && git status --short')] },
    { text: "DONE: notes.txt has two lines." },
  ],
  tool: [
    { text: "Step 1: create half.txt.", tools: [write("half.txt", "begin file\n")] },
    {
      text: "Step 2: run the slow migration.",
      tools: [shell(`echo begin >> half.txt; sleep ${SLOW_SECONDS}; echo end >> half.txt`)],
    },
    { text: "DONE: migration finished." },
  ],
  stream: [
    { text: "Step 1: create s.txt.", tools: [write("s.txt", "stream file\n")] },
    { text: STREAMED, hangsIn: "text" },
  ],
  arguments: [
    { text: "I will write a long file.", tools: [write("long.txt", LONG_TEXT)], hangsIn: "arguments" },
    { text: "DONE: long.txt." },
  ],
  parallel: [
    {
      text: "Two commands at once.",
      tools: [
        shell("echo fast >> par.txt"),
        shell(`echo slow-begin >> par.txt; sleep ${SLOW_SECONDS}; echo slow-end >> par.txt`),
      ],
    },
    { text: "DONE: both ran." },
  ],
} as const satisfies Record<string, readonly Step[]>;

export type ScriptName = keyof typeof SCRIPTS;

export const promptOf = (script: ScriptName): string =>
  `SCENARIO:${script} please do the scripted work in this repository`;

/** The script that was asked for last; null: none. */
export function scriptIn(text: string): ScriptName | null {
  const names = [...text.matchAll(/SCENARIO:([a-z]+)/g)].map(([, name]) => name ?? "");
  return (names.findLast((name) => name in SCRIPTS) as ScriptName | undefined) ?? null;
}

/**
 * What the model does in each situation: known bytes, which are the oracle of every check. A step is one answer; its tools are bound to
 * whatever the agent offers.
 */
import { CART_CUT, TAXED } from "../../../page/shop.ts";

export type ScriptedTool =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "edit"; readonly path: string; readonly old: string; readonly put: string }
  | { readonly kind: "shell"; readonly command: string }
  /** A tool of refloat's own MCP server, whatever the agent calls it. */
  | { readonly kind: "mcp"; readonly tool: string; readonly args: Readonly<Record<string, string>> };

export interface Step {
  readonly text: string;
  readonly tools?: readonly ScriptedTool[];
  /** While the model is told to hang: what it never gets to the end of. */
  readonly hangsIn?: "text" | "arguments";
}

const write = (path: string, content: string): ScriptedTool => ({ kind: "write", path, content });
const read = (path: string): ScriptedTool => ({ kind: "read", path });
const edit = (path: string, old: string, put: string): ScriptedTool => ({ kind: "edit", path, old, put });
const mcp = (tool: string, args: Readonly<Record<string, string>>): ScriptedTool => ({
  kind: "mcp",
  tool,
  args,
});
const shell = (command: string): ScriptedTool => ({ kind: "shell", command });

/** Longer than any run: what is left running lives until somebody ends it. */
export const SLOW_SECONDS = 3600;

/** What the repository has before anybody works in it. */
export const COMMITTED = {
  "README.md": "hello\n",
  "lib.js": "export const a = 1;\nexport const b = 2;\n",
} as const;
export const CODE = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";

export const LONG_TEXT = `${"abcdefghij ".repeat(400)}end\n`;
export const STREAMED =
  "Now I explain at length what I have done so far and what remains to be done. ".repeat(30);

export const SCRIPTS = {
  clean: [
    { text: "I will create notes.txt.", tools: [write("notes.txt", "line one\n")] },
    { text: "Now I append to it.", tools: [shell('echo "line two" >> notes.txt && git status --short')] },
    { text: "DONE: notes.txt has two lines." },
  ],
  edits: [
    { text: "I will write code.js.", tools: [write("code.js", CODE)] },
    { text: "One is eleven.", tools: [edit("code.js", "return 1;", "return 11;")] },
    { text: "Two is twelve.", tools: [edit("code.js", "return 2;", "return 12;")] },
    // Some edit only what they have read.
    { text: "What is there already?", tools: [read("lib.js")] },
    { text: "Now that.", tools: [edit("lib.js", "b = 2", "b = 3")] },
    { text: "DONE: code.js and lib.js." },
  ],
  // Cut off behind the first of two edits of each.
  halfedits: [
    { text: "I will write code.js.", tools: [write("code.js", CODE)] },
    { text: "One is eleven.", tools: [edit("code.js", "return 1;", "return 11;")] },
    // Some edit only what they have read.
    { text: "What is there already?", tools: [read("lib.js")] },
    { text: "Now that.", tools: [edit("lib.js", "b = 2", "b = 3")] },
    { text: "Before the rest a look.", tools: [shell(`echo look > look.txt; sleep ${SLOW_SECONDS}`)] },
    { text: "Two is twelve.", tools: [edit("code.js", "return 2;", "return 12;")] },
    { text: "DONE: code.js and lib.js." },
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

/** `mcp`: with a server of refloat's beside the agent. `shop`: what the page shows of a killed one; the program `refloat` is in its PATH. `remove`: with hooks. */
export type AnyScript = ScriptName | "mcp" | "shop" | "remove";

const ALL_SCRIPTS: Readonly<Record<AnyScript, readonly Step[]>> = {
  ...SCRIPTS,
  // Of which nothing is left but what was held before the command.
  remove: [
    { text: "I will create made.txt.", tools: [write("made.txt", "made\n")] },
    { text: "It is not needed.", tools: [shell("rm -rf made.txt")] },
    { text: "DONE: made.txt is gone." },
  ],
  shop: [
    { text: "I will add the tax.", tools: [shell('refloat op begin "add the tax"')] },
    { text: "Its file.", tools: [write("src/taxed.mjs", TAXED)] },
    { text: "That is whole.", tools: [shell("refloat op end")] },
    { text: "Now the cart.", tools: [shell('refloat op begin "rewrite the cart"')] },
    { text: "Its checkout first.", tools: [write("src/cart.mjs", CART_CUT)] },
    { text: STREAMED, hangsIn: "text" },
  ],
  mcp: [
    { text: "I begin a part.", tools: [mcp("operations", { act: "begin", label: "write the notes" })] },
    { text: "I will create notes.txt.", tools: [write("notes.txt", "line one\n")] },
    { text: "The part is whole.", tools: [mcp("operations", { act: "end", label: "write the notes" })] },
    { text: "I decide.", tools: [mcp("decide", { key: "format", value: "text", reason: "it is short" })] },
    { text: "DONE: notes.txt has one line." },
  ],
};

export const stepsOf = (script: AnyScript): readonly Step[] => ALL_SCRIPTS[script];

export const promptOf = (script: AnyScript): string =>
  `SCENARIO:${script} please do the scripted work in this repository`;

/** The script that was asked for last; null: none. */
export function scriptIn(text: string): AnyScript | null {
  const names = [...text.matchAll(/SCENARIO:([a-z]+)/g)].map(([, name]) => name ?? "");
  return (names.findLast((name) => name in ALL_SCRIPTS) as AnyScript | undefined) ?? null;
}

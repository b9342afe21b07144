/** The help that is not commander's: the first page, examples, and the list of everything. */
import { padToWidth, wrapToWidth } from "../../text/width.ts";
import type { CommandGroup, CommandShape, Grammar } from "./command-grammar.ts";

export const GROUPS: readonly CommandGroup[] = [
  "Sessions",
  "Workspace",
  "Workflow",
  "Fleet",
  "Set up",
  "Store",
  "Try it",
];
const INDENT = "  ";
/** Wide enough for the longest flag of the first page. */
const TERM_COLUMNS = 16;
/** The same for its longest example. */
const EXAMPLE_COLUMNS = 35;

type HelpRow = readonly [term: string, about: string];

export interface HelpStyle {
  readonly columns: number;
  readonly title: (text: string) => string;
}

/** What a person needs first, in the order he needs it (DESIGN 10); the rest is in `help all`. */
const FIRST_COMMANDS = ["status", "run", "resume", "inspect", "settle", "undo", "worktrees", "init"] as const;

/** `refloat --help`: what to begin with, what every command takes, where the rest is. */
export function firstPage(grammar: Grammar, style: HelpStyle): string {
  return [
    "refloat: crash-safe sessions for coding agents. Nothing acknowledged is lost.\n",
    `${style.title("Usage")}\n  refloat <command> [flags]\n`,
    section("Commands", firstRows(grammar), style),
    section("Flags of every command", globalRows(grammar), style),
    section("Examples", EXAMPLES, { ...style, termColumns: EXAMPLE_COLUMNS }),
    section("Next", NEXT, { ...style, termColumns: EXAMPLE_COLUMNS }),
  ].join("\n");
}

const EXAMPLES: readonly HelpRow[] = [
  ["refloat run -- claude -p '...'", "an agent whose death loses nothing"],
  ["refloat inspect", "what a dead agent left, with verdicts"],
  ["refloat show", "what the newest session was doing"],
  ["refloat log --follow", "watch it"],
  ["refloat sessions --exit-code --json", "for scripts: exit 3 when one was cut off"],
];

const NEXT: readonly HelpRow[] = [
  ["refloat demo", "kill a session and see what survives"],
  ["refloat help all", "every command with its arguments"],
  ["refloat help COMMAND", "one command with its flags"],
];

/** Those of the first commands that are built: what is not is absent, never a stub. */
function firstRows({ commands }: Grammar): HelpRow[] {
  const summaries = new Map(commands.map(({ words, summary }) => [words, summary]));
  return FIRST_COMMANDS.flatMap((words): HelpRow[] => {
    const summary = summaries.get(words);
    return summary === undefined ? [] : [[words, summary]];
  });
}

function globalRows({ globals }: Grammar): HelpRow[] {
  return [
    ...globals.map(
      ({ flags, about, choices }): HelpRow => [
        choices ? flags.replace(/<.*>/, `<${choices.join("|")}>`) : flags,
        about,
      ],
    ),
    ["--help, --version", ""],
  ];
}

/** `help all`: every command by group. */
export function everything(grammar: Grammar, style: HelpStyle): string {
  const termColumns = Math.max(...grammar.commands.map((command) => synopsis(command).length));
  const groups = GROUPS.map((group) => {
    const rows = grammar.commands
      .filter((command) => command.group === group)
      .map((command): HelpRow => [synopsis(command), command.summary]);
    return section(group, rows, { ...style, termColumns });
  });
  return `${groups.join("\n")}\n\`refloat help COMMAND\` tells its flags, \`refloat --help\` those that all take.\n`;
}

export function examplesText({ examples }: CommandShape): string {
  const lines = examples.flatMap(([command, what]) => [
    `${INDENT}${command}`,
    ...(what === "" ? [] : [`${INDENT}${INDENT}${what}`]),
  ]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

export function synopsis({ words, args = [] }: CommandShape): string {
  return [words, ...args.map(({ name }) => name)].join(" ");
}

function section(
  title: string,
  rows: readonly HelpRow[],
  { columns, title: paint, termColumns = TERM_COLUMNS }: HelpStyle & { readonly termColumns?: number },
): string {
  const room = columns - termColumns - 2 * INDENT.length;
  const lines = rows.flatMap(([term, about]) => {
    const [first = "", ...rest] = wrapToWidth(about, room);
    const below = rest.map((line) => " ".repeat(termColumns + 2 * INDENT.length) + line);
    // A term that is too long stands alone, what it means below it.
    if (term.length > termColumns && about !== "")
      return [`${INDENT}${term}`, `${" ".repeat(termColumns + 2 * INDENT.length)}${first}`, ...below];
    return [`${INDENT}${padToWidth(term, termColumns)}${INDENT}${first}`.trimEnd(), ...below];
  });
  return `${paint(title)}\n${lines.join("\n")}\n`;
}

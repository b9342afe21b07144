// docs/cli.md, from the grammar the parser itself is made of.

import { GRAMMAR } from "../../dist/cli/commands/specs.js";
import { GROUPS, synopsis } from "../../dist/cli/grammar/help-text.js";
import { EXIT_CODES_TEXT } from "./exit-codes.mjs";

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "\\<");

export function cliPage() {
  const { commands, globals } = GRAMMAR;
  return `# The command line

<!-- Made from src/cli/commands/*/specs.ts by \`npm run docs\`. Change it there. -->

\`refloat --help\` is the first page, \`refloat help COMMAND\` tells the flags of one. What is not built yet is absent.

| command | what it does |
|---|---|
${commands.map((command) => `| [\`${synopsis(command)}\`](#${command.words.replaceAll(" ", "-")}) | ${cell(command.summary)} |`).join("\n")}

An ID is a full id, its first four characters or more, or a name (of several sessions that had it here: the newest); left out, it is the newest unsettled session of this
workspace, else the newest. stdout is the result, stderr the narration. With \`--json\` the result is one object
([json.md](json.md)); errors are objects on stdout, too ([errors.md](errors.md)). Nobody is asked anything without a
terminal: a command that would change something then prints its plan, changes nothing and exits 1 (E_NEEDS_YES)
unless \`--yes\` is given.

## Flags of every command

${optionTable(globals)}

\`NO_COLOR\` and \`FORCE_COLOR\` are honoured; \`--color\` beats both. \`REFLOAT_STORE\` and \`REFLOAT_HOME\` say where the
store is; \`--store\` beats both.

## Exit codes

${EXIT_CODES_TEXT}

${GROUPS.flatMap((group) => commands.filter((command) => command.group === group))
  .map(section)
  .join("\n")}`;
}

function section(command) {
  const { words, summary, about, args = [], options = [], examples } = command;
  const flags = options.length > 0 ? " [flags]" : "";
  return [
    `## ${words}`,
    "",
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${about ? ` ${about}` : ""}`,
    "",
    "```sh",
    `refloat ${synopsis(command)}${flags}`,
    "```",
    "",
    ...(args.length > 0 ? [argumentTable(args), ""] : []),
    ...(options.length > 0 ? [optionTable(options), ""] : []),
    "```sh",
    ...examples.map(([example, what]) => (what ? `${example}   # ${what}` : example)),
    "```",
    "",
  ].join("\n");
}

const choicesOf = ({ choices }) =>
  choices ? `: ${choices.map((choice) => `\`${choice}\``).join(", ")}` : "";

const table = (head, rows) => [`| ${head} | |`, "|---|---|", ...rows].join("\n");

const optionTable = (options) =>
  table(
    "flag",
    options.map((option) => `| \`${option.flags}\` | ${cell(option.about)}${choicesOf(option)} |`),
  );

const argumentTable = (args) =>
  table(
    "argument",
    args.map((argument) => `| \`${argument.name}\` | ${cell(argument.about)}${choicesOf(argument)} |`),
  );

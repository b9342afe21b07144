/**
 * Completion scripts for three shells, from the grammar: commands, their flags, values that are a choice. They
 * only look words up; nothing of refloat is run while somebody presses Tab.
 */
import type { CommandShape, Grammar, OptionSpec } from "./command-grammar.ts";

export type Shell = "bash" | "zsh" | "fish";

const HELP: OptionSpec = { flags: "-h, --help", about: "help" };

export function completionScript(shell: Shell, known: Grammar): string {
  const grammar = { ...known, globals: [...known.globals, HELP] };
  switch (shell) {
    case "bash":
      return bashScript(grammar);
    case "zsh":
      // zsh runs a bash function of this kind as it is.
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(grammar)}`;
    case "fish":
      return fishScript(grammar);
    default:
      return shell satisfies never;
  }
}

/** The names among "-o, --output <file>". */
const namesOf = ({ flags }: OptionSpec): string[] =>
  flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));

const takesValue = ({ flags }: OptionSpec): boolean => /[<[]/.test(flags);

const membersOf = ({ commands }: Grammar, family: string): string[] =>
  commands.flatMap(({ words }) => (words.startsWith(`${family} `) ? [words.slice(family.length + 1)] : []));

const topWords = ({ commands }: Grammar): string[] => [
  ...new Set([...commands.map(({ words }) => words.split(" ")[0] as string), "help"]),
];

function bashScript(grammar: Grammar): string {
  const { commands, families, globals } = grammar;
  const keys = [...Object.keys(families), ...commands.map(({ words }) => words)];
  return `# refloat completion
_refloat() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} key="" words="" i
  case "$prev" in
${bashValues([...globals, ...commands.flatMap(({ options = [] }) => options)].filter(takesValue))}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${key:+$key }\${COMP_WORDS[i]}" in
      ${keys.map((key) => `"${key}"`).join("|")}) key="\${key:+$key }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$key" in
${bashWords(grammar)}
  esac
  COMPREPLY=($(compgen -W "$words ${globals.flatMap(namesOf).join(" ")}" -- "$cur"))
}
complete -o bashdefault -o default -F _refloat refloat
`;
}

/** After a flag that takes a value: its choices, or a file. */
function bashValues(options: readonly OptionSpec[]): string {
  return options
    .map((option) => {
      const words = option.choices ? `-W "${option.choices.join(" ")}"` : "-f";
      return `    ${namesOf(option).join("|")}) COMPREPLY=($(compgen ${words} -- "$cur")); return ;;`;
    })
    .join("\n");
}

/** After a command: what may follow it. Where a file may, the shell's own completion goes on when nothing fits. */
function bashWords(grammar: Grammar): string {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", topWords(grammar)],
    ...Object.keys(grammar.families).map((family) => [family, membersOf(grammar, family)] as const),
    ...grammar.commands.map(({ words, options = [], args = [] }) => {
      const choices = args.flatMap((argument) => argument.choices ?? []);
      return [words, [...choices, ...options.flatMap(namesOf)]] as const;
    }),
  ];
  return rows.map(([key, words]) => `    "${key}") words="${words.join(" ")}" ;;`).join("\n");
}

function fishScript(grammar: Grammar): string {
  const { commands, families, globals } = grammar;
  const top = topWords(grammar);
  const aboutOf = (word: string): string =>
    commands.find(({ words }) => words === word)?.summary ?? families[word] ?? "help for a command";
  return [
    "# refloat completion",
    "complete -c refloat -f",
    ...globals.map((option) => `complete -c refloat ${fishOption(option)}`),
    ...top.map((word) => {
      const isFirst = `not __fish_seen_subcommand_from ${top.join(" ")}`;
      return `complete -c refloat -n '${isFirst}' -a ${word} -d ${quoted(aboutOf(word))}`;
    }),
    ...commands.flatMap((command) => fishCommand(grammar, command)),
    "",
  ].join("\n");
}

function fishCommand(grammar: Grammar, { words, summary, options = [], args = [] }: CommandShape): string[] {
  const [family = "", name] = words.split(" ");
  const inFamily = `__fish_seen_subcommand_from ${family}`;
  const seen = name === undefined ? inFamily : `${inFamily}; and __fish_seen_subcommand_from ${name}`;
  const isOpen = `${inFamily}; and not __fish_seen_subcommand_from ${membersOf(grammar, family).join(" ")}`;
  return [
    ...(name === undefined ? [] : [`complete -c refloat -n '${isOpen}' -a ${name} -d ${quoted(summary)}`]),
    ...options.map((option) => `complete -c refloat -n '${seen}' ${fishOption(option)}`),
    ...args.flatMap(({ choices, isPath }) => [
      ...(choices ? [`complete -c refloat -n '${seen}' -a '${choices.join(" ")}'`] : []),
      ...(isPath ? [`complete -c refloat -n '${seen}' -F`] : []),
    ]),
  ];
}

function fishOption(option: OptionSpec): string {
  const names = namesOf(option).map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const value = !takesValue(option) ? "" : option.choices ? ` -x -a '${option.choices.join(" ")}'` : " -r";
  return `${names.join(" ")}${value} -d ${quoted(option.about)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

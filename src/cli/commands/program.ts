/** The parser, made from the specs. It prints nothing itself: what it has to say is handed to `said`. */
import { Argument, Command, Option } from "commander";
import type { CommandSpec } from "../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../grammar/command-grammar.ts";
import { examplesText, firstPage, type HelpStyle } from "../grammar/help-text.ts";
import type { CommandInput, ParsedArgument, ParsedOptions } from "../grammar/options.ts";
import { GRAMMAR, SPECS } from "./specs.ts";

export interface ParserOptions {
  /** What will be parsed: only the command that begins with one of these words is described, or every one where help is among them. */
  readonly argv: readonly string[];
  readonly version: string;
  readonly columns: number;
  readonly isColored: boolean;
  /** Help and the version, asked for. */
  readonly sayOut: (text: string) => void;
  /** Help nobody asked for: a command was left out. */
  readonly sayError: (text: string) => void;
  readonly run: (spec: CommandSpec, input: CommandInput, globals: ParsedOptions) => Promise<void>;
  readonly help: (words: readonly string[]) => void;
}

export function buildProgram(options: ParserOptions): Command {
  const program = new Command("refloat")
    .exitOverride()
    .configureOutput({
      writeOut: options.sayOut,
      writeErr: options.sayError,
      // The error comes as an exception and is reported as every other one.
      outputError: () => undefined,
      getOutHelpWidth: () => options.columns,
      getErrHelpWidth: () => options.columns,
      getOutHasColors: () => options.isColored,
      getErrHasColors: () => options.isColored,
    })
    .configureHelp({ styleTitle: bold })
    .helpOption("-h, --help", "help for a command")
    .helpCommand(false)
    .version(options.version, "--version", "the version");
  program.helpInformation = () => firstPage(GRAMMAR, helpStyle(options));
  for (const option of GRAMMAR.globals) program.addOption(optionOf(option));
  const isMeant = meantBy(options.argv);
  for (const spec of SPECS) {
    const command = namedCommand(program, spec.words.split(" "));
    if (isMeant(spec)) describeCommand(program, command, spec, options);
  }
  program
    .command("help")
    .description("help for a command; `help all` lists every one")
    .argument("[words...]", "the command")
    .action((words: readonly string[]) => options.help(words));
  return program;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;

export const helpStyle = ({
  columns,
  isColored,
}: Pick<ParserOptions, "columns" | "isColored">): HelpStyle => ({
  columns,
  title: isColored ? bold : (text) => text,
});

const HELP: ReadonlySet<string> = new Set(["-h", "--help", "help"]);

function meantBy(argv: readonly string[]): (spec: CommandSpec) => boolean {
  const typed = new Set(argv);
  if (argv.some((word) => HELP.has(word))) return () => true;
  return ({ words }) => typed.has(words.split(" ")[0] as string);
}

/** Known by its name alone: enough to say which one a mistyped word comes near. */
function namedCommand(program: Command, words: readonly string[]): Command {
  const parent = words.length > 1 ? familyOf(program, words[0] as string) : program;
  return parent.command(words.at(-1) as string);
}

function describeCommand(
  program: Command,
  command: Command,
  spec: CommandSpec,
  { run }: ParserOptions,
): void {
  const words = spec.words.split(" ");
  command
    .summary(spec.summary)
    .description([sentence(spec.summary), ...(spec.about ? [spec.about] : [])].join("\n\n"))
    .addHelpText("after", examplesText(spec));
  for (const argument of spec.args ?? []) command.addArgument(argumentOf(argument));
  for (const option of spec.options ?? []) command.addOption(optionOf(option));
  command.action(async () => {
    const args = command.processedArgs as readonly ParsedArgument[];
    await run(spec, { grammar: GRAMMAR, words, args, options: command.opts() }, program.opts());
  });
}

function familyOf(program: Command, word: string): Command {
  const known = program.commands.find((command) => command.name() === word);
  if (known) return known;
  return program
    .command(word)
    .usage("<command> [options]")
    .description(sentence(GRAMMAR.families[word] ?? ""))
    .helpCommand(false);
}

function argumentOf({ name, about, choices }: ArgumentSpec): Argument {
  const argument = new Argument(name, about);
  return choices ? argument.choices([...choices]) : argument;
}

function optionOf({ flags, about, choices, isRepeated }: OptionSpec): Option {
  const option = new Option(flags, about);
  if (isRepeated)
    option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return choices ? option.choices([...choices]) : option;
}

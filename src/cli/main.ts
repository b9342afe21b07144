/**
 * From the command line to the exit code: parse, run, report, close. Exit codes are set, not forced, so that
 * everything written reaches its reader.
 */
import { type Command, CommanderError } from "commander";
import { EndedBySignal } from "../app/run/ended-by-signal.ts";
import { RefloatError } from "../model/errors.ts";
import { endBySignal } from "../platform/own-process.ts";
import { commandIn } from "./commands/command-in.ts";
import { buildProgram, helpStyle } from "./commands/program.ts";
import { GRAMMAR } from "./commands/specs.ts";
import type { CommandEnd, CommandSpec } from "./context/command-spec.ts";
import { type Context, createContext } from "./context/context.ts";
import { toldToOpenTelemetry } from "./context/open-telemetry.ts";
import { withColorValue, withDefaultCommand } from "./grammar/default-command.ts";
import { flagsBeforeParsing, flagsOf } from "./grammar/flags.ts";
import { everything, type HelpStyle } from "./grammar/help-text.ts";
import { type CommandInput, type ParsedOptions, usage } from "./grammar/options.ts";
import { withRepeatedFlags } from "./grammar/repeated-flags.ts";
import { EXIT } from "./screen/exit-code.ts";
import { createOutput, endWithoutReader, type Output } from "./screen/output.ts";
import { reportError } from "./screen/report-error.ts";

const FIRST_WORDS: ReadonlySet<string> = new Set(
  GRAMMAR.commands.map(({ words }) => words.split(" ")[0] ?? ""),
);

export async function main(argv: readonly string[], version: string): Promise<void> {
  endWithoutReader();
  const ending = await run(argv, version);
  if (typeof ending === "number") process.exitCode = ending;
  else if ("code" in ending) process.exitCode = ending.code;
  else endBySignal(ending.signal);
}

async function run(argv: readonly string[], version: string): Promise<CommandEnd> {
  let out = createOutput(flagsBeforeParsing(argv), process.env);
  let ending: CommandEnd = EXIT.done;
  const said = { out: "", error: "" };
  const words = withDefaultCommand(withColorValue(withRepeatedFlags(argv), FIRST_WORDS));
  const screen = { columns: out.columns, isColored: out.style.bold("x") !== "x" };
  const program = buildProgram({
    ...{ version, argv: words },
    ...screen,
    sayOut: (text) => {
      said.out += text;
    },
    sayError: (text) => {
      said.error += text;
    },
    run: async (spec, input, globals) => {
      out = createOutput(flagsOf(globals), process.env);
      ending = await runCommand(spec, input, globals, out);
    },
    help: (words) => {
      said.out += helpOf(program, words, helpStyle(screen));
    },
  });
  try {
    await program.parseAsync(words, { from: "user" });
    await out.write(said.out);
    return ending;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return endOfParsing(thrown, said, out, commandIn(argv));
    if (thrown instanceof EndedBySignal) return { signal: thrown.signal };
    return reportError(thrown, out, commandIn(argv));
  }
}

async function runCommand(
  spec: CommandSpec,
  input: CommandInput,
  globals: ParsedOptions,
  out: Output,
): Promise<CommandEnd> {
  // Loaded with the command: help needs neither.
  const [{ run: runIt }, { teller }] = await Promise.all([spec.load(), import("./context/tell.ts")]);
  const context: Context = createContext(flagsOf(globals), out, process.env, teller);
  const told = await toldToOpenTelemetry(spec.words, out);
  try {
    const ending = await runIt(context, input);
    await keepNoticeAfter(context);
    return ending;
  } finally {
    await context.close();
    await told();
  }
}

/** For agents that are started here next. Where nothing was asked of a store nothing has changed. */
async function keepNoticeAfter(context: Context): Promise<void> {
  const store = await context.openedStore();
  if (store === null) return;
  const { keepNotice } = await import("../app/handoff/keep-notice.ts");
  await keepNotice(context, store);
}

/** Commander ends by an exception whatever happened; most of them are no errors. */
async function endOfParsing(
  ended: CommanderError,
  said: { readonly out: string; readonly error: string },
  out: Output,
  command: readonly string[],
): Promise<CommandEnd> {
  switch (ended.code) {
    case "commander.version":
      await out.result({
        command: "version",
        json: { version: ended.message },
        text: () => [ended.message],
      });
      return EXIT.done;
    case "commander.helpDisplayed":
      await out.write(said.out);
      return EXIT.done;
    case "commander.help":
      // Half a command: `refloat store`.
      if (out.isJson) return reportError(usage("A command is missing."), out, command);
      out.complain(said.error.trimEnd());
      return EXIT.usage;
    default:
      return reportError(usage(sentence(ended.message)), out, command);
  }
}

function helpOf(program: Command, words: readonly string[], style: HelpStyle): string {
  if (words.length === 1 && words[0] === "all") return everything(GRAMMAR, style);
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) throw new RefloatError("E_USAGE", { why: `There is no command ${words.join(" ")}.` });
    command = next;
  }
  let text = "";
  command.configureOutput({
    ...command.configureOutput(),
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  return text;
}

/** Commander writes "error: unknown option '--x'\n(Did you mean --y?)". */
function sentence(message: string): string {
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)!]$/.test(text) ? "" : "."}`;
}

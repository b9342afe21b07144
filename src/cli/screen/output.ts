/**
 * Everything a command says. stdout is the result, as text or as one JSON object; stderr is the narration,
 * which --quiet turns off. Text that came from outside goes through `escapeForTerminal` before it gets here (T3).
 */
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { ERRORS, RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { jsonText } from "../../text/json-text.ts";
import { asTyped, programTyped } from "../../text/typed-command.ts";
import { type ColorWhen, type Style, styleFor, wantsColor } from "./style.ts";
import { columnsOf } from "./terminal.ts";

export interface OutputOptions {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly color: ColorWhen;
  /** False: nobody sits there to turn pages. */
  readonly mayAsk: boolean;
  /** -C as it was typed. */
  readonly directory?: string | null;
  readonly store?: string | null;
}

export interface Result {
  /** The command's words joined by "-": the schema's name. */
  readonly command: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: () => readonly string[];
}

export interface Output {
  readonly isJson: boolean;
  readonly columns: number;
  readonly isTerminal: boolean;
  readonly style: Style;
  /** The command's result: one JSON object, or its lines. */
  result(result: Result): Promise<void>;
  /** A piece of a result that is too long for one string, as it is. Resolves when the reader keeps up. */
  write(text: string): Promise<void>;
  /** For people, on stderr. */
  narrate(line: string): void;
  /** An error, on stderr whatever --quiet says. */
  complain(line: string): void;
  readonly errorStyle: Style;
  /** From here on commands are printed for another workspace than the one somebody stands in: its top. Null: for that one. */
  isAbout(root: string | null): void;
  /** That workspace; null: the one he stands in. */
  about(): string | null;
  /** A sentence of ours whose commands can be typed where it is printed (T6). */
  typed(text: string): string;
}

export function createOutput(options: OutputOptions, env: Environment): Output {
  const { stdout, stderr } = process;
  const isTerminal = stdout.isTTY === true;
  const write = (text: string): Promise<void> => writeTo(stdout, text);
  async function show(text: string): Promise<void> {
    // Asking for stdin opens it: only where its answer counts.
    const isLong = isTerminal && process.stdin.isTTY === true && text.split("\n").length > stdout.rows;
    if (isLong && options.mayAsk) {
      const { page, pagerFor } = await import("./pager.ts");
      const pager = pagerFor(env);
      if (pager !== null && (await page(text, pager, env))) return;
    }
    await write(text);
  }
  let about: string | null = null;
  const program = (): string =>
    programTyped({ about, directory: options.directory ?? null, store: storeTyped(options.store ?? null) });
  return {
    isAbout: (root) => {
      about = root;
    },
    about: () => about,
    typed: (text) => asTyped(text, program()),
    isJson: options.isJson,
    columns: columnsOf(stdout, env),
    isTerminal,
    style: styleFor(wantsColor(options.color, env, isTerminal)),
    errorStyle: styleFor(wantsColor(options.color, env, stderr.isTTY === true)),
    result: ({ command, json, text }) =>
      options.isJson ? write(`${jsonText({ schema: schemaOf(command), ...json })}\n`) : show(lines(text())),
    write,
    narrate: (line) => {
      if (!options.isQuiet) stderr.write(`${line}\n`);
    },
    complain: (line) => {
      stderr.write(`${line}\n`);
    },
  };
}

/** A path as it can be typed from anywhere; an address with a password in it is not printed (T4). */
export function storeTyped(store: string | null): string | null {
  if (store === null || !URL.canParse(store)) return store === null ? null : resolve(store);
  return new URL(store).password === "" ? store : null;
}

export const schemaOf = (command: string): string => `refloat.${command}/1`;

/**
 * A reader that has had enough (`| head`) is no failure of ours: the end, quietly. A full disk behind stdout is one:
 * the result is not where it was asked for, and the exit code says so (T1). Narration nobody can read is no failure of the
 * command: it goes on (a loop whose log's reader left still has an agent to look after) and ends with its own code.
 */
export function endWithoutReader(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (thrown) => {
    if (errnoOf(thrown) === "EPIPE") process.exit(0);
    const { code, message, hint } = new RefloatError("E_OUTPUT", { why: thrown.message });
    process.stderr.write(`refloat: ${message} (${code})\n         ${hint}\n`);
    process.exit(OUTPUT_FAILED);
  });
}

const OUTPUT_FAILED = ERRORS.E_OUTPUT.exit;

const lines = (all: readonly string[]): string => (all.length === 0 ? "" : `${all.join("\n")}\n`);

function writeTo(stream: Writable, text: string): Promise<void> {
  if (text === "" || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => stream.once("drain", resolve));
}

/** The built program at a terminal of its own, and what somebody sees there: the rows of its screen, not its bytes. */
import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import { BIN, type Place } from "./cli.ts";
import { need } from "./needs.ts";

type Pty = typeof import("@lydell/node-pty");

/** The package is optional: without it, or without its binary for this machine, there is no terminal. */
export function spawnAtTerminal(...args: Parameters<Pty["spawn"]>): ReturnType<Pty["spawn"]> {
  need("terminal");
  return (createRequire(import.meta.url)("@lydell/node-pty") as Pty).spawn(...args);
}

/** A machine ten times slower than usual still gets there. */
const WAIT_MS = 120_000;
const LOOK_MS = 20;

export interface AtTerminal {
  readonly pid: number;
  /** Everything that was written to it. */
  text(): string;
  /** The rows of the other screen as they are now, or as they were when the program left it. */
  rows(): string[];
  /** Whether the program has taken the screen over. */
  isTaken(): boolean;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** Waits until the screen shows it. */
  sees(what: string | RegExp): Promise<void>;
  until(isSo: () => boolean, what: string): Promise<void>;
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** Instead of the program itself: a shell that starts it. */
  readonly file?: string;
}

export function atTerminal(
  place: Place,
  args: readonly string[],
  { env = {}, columns = 80, rows = 24, cwd, file }: TerminalOptions = {},
): AtTerminal {
  const pty = spawnAtTerminal(file ?? process.execPath, file ? [...args] : [BIN, ...args], {
    cwd: cwd ?? place.workspace,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place.home,
      REFLOAT_HOME: place.home,
      TERM: "xterm",
      PAGER: "cat",
      ...env,
    },
    cols: columns,
    rows,
  });
  onTestFinished(() => {
    if (!isOver) pty.kill("SIGKILL");
  });
  let isOver = false;
  let text = "";
  pty.onData((piece) => {
    text += piece;
  });
  const ended = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isOver = true;
      resolve({ exitCode, signal });
    });
  });
  const screen = (): string[] => rowsOf(text);
  async function until(isSo: () => boolean, what: string): Promise<void> {
    const giveUpAt = Date.now() + WAIT_MS;
    while (!isSo()) {
      if (Date.now() > giveUpAt || isOver)
        throw new Error(
          `${isOver ? "it ended" : "waited in vain"}: ${what}\n${screen().join("\n")}\n${text.slice(-500)}`,
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  return {
    pid: pty.pid,
    text: () => text,
    rows: screen,
    isTaken: () => text.lastIndexOf("\x1b[?1049h") > text.lastIndexOf("\x1b[?1049l"),
    type: (keys) => pty.write(keys),
    resize: (toColumns, toRows) => pty.resize(toColumns, toRows),
    kill: (signal) => pty.kill(signal),
    sees: (what) =>
      until(
        () =>
          typeof what === "string" ? screen().join("\n").includes(what) : what.test(screen().join("\n")),
        `to see ${what}`,
      ),
    until,
    ended,
  };
}

/** Our own few sequences: to a place, an empty row or end of one, the rest of the screen empty, a style, a mode; or plain text. */
const PIECES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences a terminal knows.
  /\x1b\[(\d+);1H|\x1b\[(2K|K|J)|\x1b\[\d+m|\x1b\[\?\d+[hl]|([^\x1b]+)/g;

/** What of a text is none of them: somebody else's sequence reached the terminal. */
export const foreign = (text: string): string => text.replace(PIECES, "");

function rowsOf(text: string): string[] {
  const from = text.lastIndexOf("\x1b[?1049h");
  const to = text.indexOf("\x1b[?1049l", from);
  const played = from === -1 ? "" : text.slice(from, to === -1 ? undefined : to);
  const rows: string[] = [];
  let at = 0;
  for (const [, row, clear, plain] of played.matchAll(PIECES)) {
    if (row !== undefined) at = Number(row) - 1;
    else if (clear === "2K") rows[at] = "";
    else if (clear === "J") rows.length = Math.min(rows.length, at + 1);
    else if (plain !== undefined) rows[at] = (rows[at] ?? "") + plain;
  }
  return Array.from(rows, (line) => line ?? "");
}

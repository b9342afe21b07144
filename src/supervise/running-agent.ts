/** An agent's process under us, however it is connected: by three pipes, or by a terminal of its own. */
import type { TerminalSize } from "../text/screen-words.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Our own side of its three streams. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export type OnPiece = (piece: Buffer, from: "stdout" | "stderr" | "terminal") => void;

export interface AgentTerminal {
  size(): TerminalSize;
  onResize(listener: (size: TerminalSize) => void): void;
}

export interface RunningAgent {
  readonly pid: number;
  /** The terminal it was given; null: pipes. */
  readonly terminal: AgentTerminal | null;
  /** Its process is over. Others may still hold its output open. */
  readonly exited: Promise<Exit>;
  /** Everything it and its children printed has been passed on. */
  readonly drained: Promise<void>;
  /** Stops reading its output, whoever holds it open. */
  letGo(): void;
  /** Signals that keys typed at our terminal stand for. */
  readonly typed: ReadonlySet<NodeJS.Signals>;
  /** The signal that the last key typed was to the agent itself; null: it was a key, or somebody typed on (L7). */
  lastTyped(): NodeJS.Signals | null;
  /** Writes to its input; false: it is not connected to us. */
  say(text: string): boolean;
}

/** It could not be started although it had been found. */
export type NotStarted = { readonly kind: "not-found" | "not-executable" | "failed"; readonly why: string };

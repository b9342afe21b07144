/** The commands as words: what the parser, the help, the completion scripts and docs/cli.md are made from. */
export type CommandGroup = "Sessions" | "Workspace" | "Workflow" | "Fleet" | "Set up" | "Store" | "Try it";

export interface OptionSpec {
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** Completed as a file name. */
  readonly isPath?: boolean;
  /** May be given again: the values are collected. */
  readonly isRepeated?: boolean;
}

export interface ArgumentSpec {
  /** As commander writes it: <file>, [id], [ids...]. */
  readonly name: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isPath?: boolean;
}

export interface CommandShape {
  readonly words: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** What the summary has no room for. */
  readonly about?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly (readonly [command: string, what: string])[];
}

export interface Grammar {
  readonly commands: readonly CommandShape[];
  /** What the words before a command's own stand for in a list. */
  readonly families: Readonly<Record<string, string>>;
  readonly globals: readonly OptionSpec[];
}

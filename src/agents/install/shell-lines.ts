/**
 * What `init --shell` puts into a shell's own file, so that an agent typed by its plain name is supervised. Only at a terminal, never
 * inside a session (so never twice), not with REFLOAT_OFF=1, and where refloat is gone the plain program starts. Pure.
 */
import { join } from "node:path";
import { shellWord } from "../../text/escape.ts";
import type { AgentHome } from "../words/adapter.ts";
import type { InstallForm } from "../words/install.ts";

export type ShellName = "bash" | "zsh" | "fish";
export const SHELLS: readonly ShellName[] = ["bash", "zsh", "fish"];

/** First words of agents that begin no session: they are left alone. */
const PLAIN_WORDS = [
  ...["-h", "--help", "-v", "-V", "--version", "help", "version", "update", "upgrade", "install"],
  ...["doctor", "config", "mcp", "login", "logout", "auth", "completion", "plugin", "plugins"],
];

export function shellFile(shell: ShellName, { home, env }: AgentHome): string {
  switch (shell) {
    case "bash":
      return join(home, ".bashrc");
    case "zsh":
      return join(env.ZDOTDIR || home, ".zshrc");
    case "fish":
      return join(env.XDG_CONFIG_HOME || join(home, ".config"), "fish/config.fish");
  }
}

export interface ShellWords {
  /** Our own program, by name or by absolute path. */
  readonly program: string;
  /** The store's folder: `run` refuses a workspace that it lies in, and a home is one such. */
  readonly home: string;
  /** What is typed to start each agent. */
  readonly agents: readonly string[];
}

export const shellForm = (shell: ShellName, words: ShellWords): InstallForm & { readonly kind: "block" } => ({
  kind: "block",
  lines: shell === "fish" ? fishLines(words) : posixLines(words),
});

/** `function NAME {` and not `NAME() {`: an alias of that name would be put in the place of the latter. */
const posixLines = ({ program, home, agents }: ShellWords): readonly string[] => [
  "function __refloat_run {",
  `  case "\${2-}" in ${PLAIN_WORDS.join("|")}) command "$@"; return;; esac`,
  `  case ${shellWord(home)} in "\${PWD%/}"/*) command "$@"; return;; esac`,
  `  if [ -t 0 ] && [ -t 1 ] && [ -z "\${REFLOAT_SESSION-}" ] && [ "\${REFLOAT_OFF-}" != 1 ] &&`,
  `    command -v ${shellWord(program)} >/dev/null 2>&1`,
  `  then command ${shellWord(program)} run -- "$@"; else command "$@"; fi`,
  "}",
  ...agents.map((agent) => `function ${agent} { __refloat_run ${agent} "$@"; }`),
];

const fishLines = ({ program, home, agents }: ShellWords): readonly string[] => [
  "function __refloat_run",
  `  if contains -- "$argv[2]" ${PLAIN_WORDS.join(" ")}; command $argv; return; end`,
  `  if string match -q -- "$PWD/*" ${shellWord(home)}; command $argv; return; end`,
  '  if isatty stdin; and isatty stdout; and test -z "$REFLOAT_SESSION"; and test "$REFLOAT_OFF" != 1',
  `    if type -q ${shellWord(program)}; command ${shellWord(program)} run -- $argv; return; end`,
  "  end",
  "  command $argv",
  "end",
  ...agents.map((agent) => `function ${agent}; __refloat_run ${agent} $argv; end`),
];

/** What Codex is called on a command line, which of its flags take values, and how its shared server is told. */
import { type FlagTakes, plainWordsAt, programAt } from "../words/command-line.ts";

export const PROGRAM = { names: ["codex"], packages: ["@openai/codex"] };

/** How many values its flags take (0.166.0): by this the prompt is told from them. */
export const FLAGS: Readonly<Record<string, FlagTakes>> = {
  ...takes(1, ["-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env"]),
  ...takes(1, ["-m", "--model", "--local-provider", "-p", "--profile", "-s", "--sandbox", "-C", "--cd"]),
  ...takes(1, ["--add-dir", "-a", "--ask-for-approval", "--thread-source", "--cyber-access-program"]),
  ...takes(1, ["--output-schema", "--color", "-o", "--output-last-message"]),
  ...takes("many", ["-i", "--image"]),
};

/** One for all windows of a user, and the one that keeps it up to date. */
export function isCodexServer(command: readonly string[]): boolean {
  const at = programAt(command, PROGRAM);
  const words = command.slice(at + 1);
  const [first] = at === -1 ? [] : plainWordsAt(words, FLAGS);
  return first !== undefined && words[first] === "app-server";
}

function takes(values: FlagTakes, flags: readonly string[]): Readonly<Record<string, FlagTakes>> {
  return Object.fromEntries(flags.map((flag) => [flag, values]));
}

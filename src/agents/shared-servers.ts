/** Programs of agents that serve several sessions at once: asked of every leftover, so without loading what reads agents. */
import { isCodexServer } from "./codex/command-words.ts";

/** Whether a process with this command line serves other sessions, too: it is no leftover of one (S2). */
export const isSharedServer = (command: readonly string[]): boolean =>
  SERVERS.some((serves) => serves(command));

const SERVERS = [isCodexServer];

/** What is done to the agent, and when: the columns of the matrix. */
import type { ScriptName } from "./model/scripts.ts";

export interface Situation {
  readonly title: string;
  readonly script: ScriptName;
  /** null: it is let end by itself. */
  readonly signal: "SIGKILL" | "SIGTERM" | "SIGINT" | null;
  /** `run`: `refloat run` is signalled; `both`: it and the agent are killed. */
  readonly who: "agent" | "run" | "both";
  /** Without refloat. */
  readonly isPlain?: boolean;
  /** The transcript loses its last bytes before anybody asks. */
  readonly isTorn?: boolean;
}

export const SITUATIONS = {
  clean: { title: "clean", script: "clean", signal: null, who: "agent" },
  "kill-tool": { title: "SIGKILL in a tool", script: "tool", signal: "SIGKILL", who: "agent" },
  "kill-text": { title: "SIGKILL in streamed text", script: "stream", signal: "SIGKILL", who: "agent" },
  "kill-arguments": {
    ...{ title: "SIGKILL in streamed arguments", script: "arguments", signal: "SIGKILL", who: "agent" },
  },
  "kill-parallel": {
    ...{ title: "SIGKILL in parallel calls", script: "parallel", signal: "SIGKILL", who: "agent" },
  },
  sigterm: { title: "SIGTERM", script: "tool", signal: "SIGTERM", who: "run" },
  sigint: { title: "SIGINT", script: "tool", signal: "SIGINT", who: "run" },
  torn: { title: "torn tail", script: "tool", signal: "SIGKILL", who: "agent", isTorn: true },
  both: { title: "refloat killed with it", script: "tool", signal: "SIGKILL", who: "both" },
  "kill-edits": { title: "SIGKILL between edits", script: "halfedits", signal: "SIGKILL", who: "agent" },
  edits: { title: "edits, clean", script: "edits", signal: null, who: "agent" },
  "plain-edits": { title: "edits, plainly", script: "edits", signal: null, who: "agent", isPlain: true },
  "plain-clean": { title: "clean, plainly", script: "clean", signal: null, who: "agent", isPlain: true },
  "plain-kill-edits": {
    ...{ title: "between edits, plainly", script: "halfedits", signal: "SIGKILL", who: "agent" },
    isPlain: true,
  },
  plain: { title: "started plainly", script: "tool", signal: "SIGKILL", who: "agent", isPlain: true },
} as const satisfies Record<string, Situation>;

/** Not a column: only some agents are tried with a server of refloat's beside them, whose tools the script then calls, too. */
const MCP_SITUATION: Situation = { title: "with MCP", script: "clean", signal: null, who: "agent" };

export type SituationName = keyof typeof SITUATIONS;

export const situationOf = (name: SituationName | "mcp"): Situation =>
  name === "mcp" ? MCP_SITUATION : SITUATIONS[name];

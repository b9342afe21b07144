/**
 * Starting OpenCode, going on with it by id, and what `run --format json` says as it goes: parts that are over, with the ids its database
 * has. It chooses its ids itself and tells them with each line. Its tools outlive it: the ladder's second rung reaches them.
 */
import { isJsonObject, type JsonObject, parsedOrNull } from "../../model/json.ts";
import type { Agent } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, BriefAround, ContinuedCommand, LineReader } from "../words/adapter.ts";
import { behindProgram, flagValue, hasFlag, programAt, withoutFlags } from "../words/command-line.ts";
import { kindAt, objectAt, textAt, timeOf } from "../words/fields.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { type PromptGrammar, withPrompt } from "../words/prompt.ts";
import { toolPart } from "./parts.ts";
import { isLimit, outcomeOf, resetOf } from "./transcript.ts";

const PROGRAM = { names: ["opencode"], packages: ["opencode-ai"] };

/** Its program does something else than work on a prompt. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...[
    "acp",
    "agent",
    "attach",
    "auth",
    "completion",
    "console",
    "db",
    "debug",
    "export",
    "generate",
    "github",
  ],
  ...[
    "import",
    "mcp",
    "models",
    "plug",
    "plugin",
    "pr",
    "providers",
    "serve",
    "session",
    "stats",
    "uninstall",
  ],
  ...["upgrade", "web", "-h", "--help", "-v", "--version"],
]);

const SESSION = ["--session", "-s"];
const CHOICES = { "--session": 1, "-s": 1, "--continue": 0, "-c": 0, "--fork": 0 } as const;

/** Of `opencode run`. */
const RUN: PromptGrammar = {
  prompt: [],
  flags: {
    "--log-level": 1,
    "--command": 1,
    "--session": 1,
    "-s": 1,
    "--model": 1,
    "-m": 1,
    "--agent": 1,
    "--format": 1,
    "--file": "many",
    "-f": "many",
    "--title": 1,
    "--attach": 1,
    "--password": 1,
    "-p": 1,
    "--username": 1,
    "-u": 1,
    "--dir": 1,
    "--port": 1,
    "--variant": 1,
  },
};

const agent: Agent = {
  ...genericAgent("opencode"),
  // In a fork it goes on under an id of its own.
  prepare: (command) => ({
    ...{ command, env: {} },
    nativeId: hasFlag(command, ["--fork"]) ? null : flagValue(command, SESSION),
  }),
};

export const opencodeLaunch: AgentLaunch = {
  program: "opencode",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  resumesChild: { tool: "task", field: "task_id" },
  agent: () => agent,
  stream: (command) => (flagValue(command, ["--format"]) === "json" ? streamReader() : null),
  // Of a session whose folder is gone it answers each prompt with an error, a fork's too (1.18.33).
  resume: (nativeId, command, brief, around) =>
    around?.moved
      ? null
      : continued(command, { added: ["--session", nativeId], brief, around, prompt: () => GO_ON }),
  startWith: (command, brief, around) =>
    continued(command, { added: [], brief, around, prompt: (asked) => asked }),
};

interface Continuing {
  readonly added: readonly string[];
  readonly brief: string;
  readonly around: BriefAround | undefined;
  readonly prompt: (asked: string) => string;
}

/**
 * The brief is a file of instructions for this start alone, which its model gets with each request and no conversation keeps; where that
 * cannot be said it stands before the prompt, which only `run` takes.
 */
function continued(
  command: readonly string[],
  { added, brief, around, prompt }: Continuing,
): ContinuedCommand | null {
  const at = programAt(command, PROGRAM);
  if (at === -1) return null;
  const env = around ? withInstructions(around) : null;
  const told = (asked: string): string => (env === null ? briefBefore(brief, prompt(asked)) : prompt(asked));
  const channel =
    env === null ? { brief: "before-prompt" as const } : { brief: "instructions-file" as const, env };
  if (command[at + 1] !== "run") {
    const words = withoutFlags(command.slice(at + 1), { ...CHOICES, "--prompt": 1 });
    if (env === null || COMMANDS.has(words[0] ?? "")) return null;
    // Its screen sends a prompt for a new conversation at once, and passes over one for a conversation that goes on.
    const asked = flagValue(command.slice(at + 1), ["--prompt"]) ?? GO_ON;
    const going = added.length > 0 ? [...added, ...words] : ["--prompt", prompt(asked), ...words];
    return { command: [...command.slice(0, at + 1), ...going], ...channel };
  }
  const words = withPrompt(withoutFlags(command.slice(at + 2), CHOICES), RUN, told);
  if (words === null) return null;
  return { command: behindProgram([...command.slice(0, at + 2), ...words], at + 1, added), ...channel };
}

const CONFIG = "OPENCODE_CONFIG_CONTENT";

/** Added to what the user says by the same variable; its other configuration stays as it is. Null: nobody can read what he says. */
function withInstructions({ env, file }: BriefAround): Readonly<Record<string, string>> | null {
  const own = parsedOrNull(env[CONFIG] || "{}");
  if (!isJsonObject(own)) return null;
  const theirs = Array.isArray(own.instructions) ? own.instructions : [];
  return { [CONFIG]: JSON.stringify({ ...own, instructions: [...theirs, file] }) };
}

/** The message is in the database: here its text is only what came so far. */
function streamReader(): LineReader {
  let isKnown = false;
  return {
    links: () => null,
    read(line) {
      const heard = partHeard(line, timeOf(line.timestamp));
      const nativeId = textAt(line, "sessionID");
      if (isKnown || nativeId === null) return heard;
      isKnown = true;
      return [sessionHeard(nativeId, timeOf(line.timestamp)), ...heard];
    },
  };
}

const sessionHeard = (nativeId: string, at: number | null): Heard => ({
  kind: "session",
  nativeId,
  cwd: null,
  version: null,
  branch: null,
  model: null,
  at,
  parent: null,
});

function partHeard(line: JsonObject, at: number | null): readonly Heard[] {
  const part = objectAt(line, "part");
  switch (line.type) {
    case "text": {
      const [id, text] = [textAt(part, "messageID"), textAt(part, "text")];
      return id === null || text === null ? [] : [{ kind: "delta", id, text, at }];
    }
    case "tool_use":
      return part === null ? [] : toolPart(part, null);
    case "step_finish": {
      const outcome = outcomeOf(textAt(part, "reason"));
      return outcome === null ? [] : [{ kind: "turn-ended", outcome, proof: "record", at }];
    }
    case "error":
      return failed(objectAt(line, "error") ?? {}, at);
    case "step_start":
    case "reasoning":
      return [];
    default:
      return [{ kind: "unknown", type: `stream ${kindAt(line)}` }];
  }
}

function failed(error: JsonObject, at: number | null): readonly Heard[] {
  const outcome = error.name === "MessageAbortedError" ? "cancelled" : "failed";
  return [
    ...(isLimit(error) ? [{ kind: "limit" as const, resetsAtMs: resetOf(error, at), at }] : []),
    { kind: "turn-ended", outcome, proof: "record", at },
  ];
}

/**
 * What ran beside the session by its own records: shells put into the background, servers for development, timers, MCP servers. They
 * end with the agent or are left over; either way the next one is to know that they were there. Only what the records show: no guess
 * at what a script of the repository starts.
 */
import type { FoldedCall } from "../conversation/fold.ts";
import { isJsonObject } from "../model/json.ts";
import type { SessionStory } from "../salvage/story/session-story.ts";
import { redactBeginnings } from "../text/redact-part.ts";
import type { BriefMachine } from "./brief-facts.ts";
import { isEnded, outputText, ranBy } from "./told-work.ts";

const MAX_MACHINES = 8;
const MAX_SERVERS = 8;
const COMMAND_CHARS = 200;

/** A lone `&` puts what is before it into the background; `&&`, `&>` and `2>&1` do not. */
const PUT_BEHIND = /(?:^|[^&>])&(?:\s*$|\s*[\n;)]|\s+(?![&>]))|\b(?:nohup|setsid|disown)\b/m;
const SERVES =
  /\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b|\bvite(?:\s+(?:dev|serve|preview))?\s*$|\bnext\s+dev\b|\bwebpack(?:-dev-server|\s+serve)\b|\b(?:uvicorn|gunicorn|nodemon)\b|\bflask\s+run\b|\bmanage\.py\s+runserver\b|\brails\s+s(?:erver)?\b|\bhttp\.server\b|\bphp\s+-S\b|\btsc\b.*\s(?:-w|--watch)\b|\btail\s+-[fF]\b/;
const BEHIND_FIELDS = ["run_in_background", "is_background", "background", "detach"] as const;
const TIMER_TOOL = /^(?:cron_?create|schedule_?wake_?up|create_?(?:timer|reminder)|schedule_?task)$/i;
const STOPS_TOOL = /kill|stop|terminate/i;
const MCP_TOOL = /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*?)__/;
const STARTED_AS = /\b(?:id|shell|task|session)[: ]+`?([\w-]{2,64})/i;
const OVER =
  /<status>\s*(?:completed|failed|killed)\s*<|\b(?:status|state): (?:completed|failed|killed|exited)\b/i;

export async function machinesOf({ calls, turns }: SessionStory): Promise<readonly BriefMachine[]> {
  const over = new Set(turns.flatMap(({ id, outcome }) => (outcome === "completed" ? [id] : [])));
  const started = calls.flatMap((call) => {
    const found = machineIn(call, { isTurnOver: over.has(call.turn) });
    return found && !wasEnded(call, calls) ? [found] : [];
  });
  const shown = started.slice(-MAX_MACHINES);
  const texts = await redactBeginnings(
    shown.map(({ command }) => ({ text: command.trim(), chars: COMMAND_CHARS })),
  );
  return [
    ...shown.map(({ kind }, at) => ({ kind, command: texts[at]?.text ?? "" })),
    ...serversOf(calls).map((command) => ({ kind: "mcp" as const, command })),
  ];
}

/** `isTurnOver`: the agent said that it was done with the turn in which the call still ran. */
function machineIn(call: FoldedCall, { isTurnOver }: { readonly isTurnOver: boolean }): BriefMachine | null {
  const { tool, input } = call;
  if (TIMER_TOOL.test(tool)) return { kind: "timer", command: timerText(call) };
  const command = ranBy(call);
  if (command === null) return null;
  const isLeft = isTurnOver && call.result?.status === "interrupted" && call.result.isSynthetic;
  const isBehind = isLeft || (isJsonObject(input) && BEHIND_FIELDS.some((field) => input[field] === true));
  if (SERVES.test(command)) return wasStarted(call, isBehind) ? { kind: "server", command } : null;
  return isBehind || PUT_BEHIND.test(command) ? { kind: "shell", command } : null;
}

/** The call's end is not the command's: that was put into the background. */
export const isPutBehind = (call: FoldedCall): boolean => machineIn(call, { isTurnOver: false }) !== null;

/** A server that its own command saw end by itself is no longer there; one that was cut off, or put behind, was. */
const wasStarted = (call: FoldedCall, isBehind: boolean): boolean =>
  isBehind || !isEnded(call) || PUT_BEHIND.test(ranBy(call) ?? "");

function timerText({ input }: FoldedCall): string {
  if (!isJsonObject(input)) return "";
  const said = [input.cron, input.schedule, input.delaySeconds, input.prompt, input.reason];
  return said.filter((one) => typeof one === "string" || typeof one === "number").join(" ");
}

/** A later call stopped it, or was told that it is over. */
function wasEnded(call: FoldedCall, calls: readonly FoldedCall[]): boolean {
  const id = isEnded(call) ? STARTED_AS.exec(outputText(call.result.output))?.[1] : undefined;
  if (id === undefined) return false;
  return calls.some((later) => {
    if (later.seq <= call.seq || !isEnded(later) || !isJsonObject(later.input)) return false;
    if (!Object.values(later.input).includes(id)) return false;
    return STOPS_TOOL.test(later.tool) || OVER.test(outputText(later.result.output));
  });
}

const serversOf = (calls: readonly FoldedCall[]): readonly string[] => [
  ...new Set(calls.flatMap(({ tool }) => MCP_TOOL.exec(tool)?.[1] ?? []).slice(-MAX_SERVERS)),
];

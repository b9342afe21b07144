/** What a worker takes, in which order, and what becomes of it: a file of the user's own (`worker --policy FILE`), read once. Pure. */
import { z } from "zod";
import { RefloatError } from "../model/errors.ts";
import { isManualSession } from "../model/ids.ts";
import { isJsonObject } from "../model/json.ts";
import { DEFAULT_CLAIM_THRESHOLD_MS } from "../model/limits.ts";
import { POLICIES } from "../salvage/settle/policy.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { repositoryIn } from "./queue-place.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const duration = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:ms|s|m|h)$/, "a time like 500ms, 90s, 50m or 2h")
  .transform((text) => Number.parseFloat(text) * (UNITS[text.replace(/^[\d.]+/, "")] ?? 1));

/** A session that was begun so often and never ended is nobody's to begin once more by himself. */
const MAX_ATTEMPTS = 20;
/** What was cut off longer ago is somebody's to look at first. */
const MAX_AGE_MS = 72 * 3_600_000;
/** Three dirty ends without progress suspend a session (L2), so what doubles stays short. */
const BACKOFF_MS = 10_000;
/** How often a worker with nothing to do looks; what is added to a queue wakes it before. */
const LOOK_MS = 5000;
/** A heartbeat a second is as fast as it gets. */
const SHORTEST_LOST_MS = 4000;

const schema = z.strictObject({
  $schema: z.string().optional(),
  /** Whose usage limit it is; left out: told by the agent and its key. */
  account: z.string().min(1).max(100).optional(),
  order: z.enum(["queue-first", "resume-first"]).default("resume-first"),
  queue: z.boolean().default(true),
  resume: z.boolean().default(true),
  /** Sessions of these agents, of these names; left out: of any. */
  agents: z.array(z.string()).optional(),
  names: z.array(z.string()).optional(),
  max_attempts: z.number().int().min(1).default(MAX_ATTEMPTS),
  max_age: duration.optional(),
  settle: z.enum(POLICIES).default("leave"),
  timeout: duration.optional(),
  /** How long a session rests after a dirty end; twice as long after the next. */
  backoff: duration.optional(),
  look: duration.optional(),
  lost_after: duration.optional(),
});

export interface WorkerPolicy {
  readonly account: string | null;
  readonly order: "queue-first" | "resume-first";
  readonly takesQueue: boolean;
  readonly resumes: boolean;
  readonly agents: readonly string[] | null;
  readonly names: readonly string[] | null;
  readonly maxAttempts: number;
  readonly maxAgeMs: number;
  readonly settle: (typeof POLICIES)[number];
  readonly timeoutMs: number | null;
  readonly backoffMs: number;
  readonly lookMs: number;
  /** Without a heartbeat for so long others take its sessions over. */
  readonly lostAfterMs: number;
}

/** Throws E_BAD_POLICY with what is wrong. */
export function parsePolicy(path: string, text: string): WorkerPolicy {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw new RefloatError(
      "E_BAD_POLICY",
      { path, why: thrown instanceof Error ? thrown.message : "" },
      thrown,
    );
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const why = parsed.error.issues
      .map(({ path: at, message }) => [at.join("."), message].filter(Boolean).join(": "))
      .join("; ");
    throw new RefloatError("E_BAD_POLICY", { path, why });
  }
  return policyOf(parsed.data);
}

function policyOf(given: z.infer<typeof schema>): WorkerPolicy {
  return {
    ...{ account: given.account ?? null, order: given.order, takesQueue: given.queue, resumes: given.resume },
    ...{ agents: given.agents ?? null, names: given.names ?? null, maxAttempts: given.max_attempts },
    ...{ maxAgeMs: given.max_age ?? MAX_AGE_MS, settle: given.settle, timeoutMs: given.timeout ?? null },
    backoffMs: given.backoff ?? BACKOFF_MS,
    lookMs: given.look ?? LOOK_MS,
    lostAfterMs: Math.max(SHORTEST_LOST_MS, given.lost_after ?? DEFAULT_CLAIM_THRESHOLD_MS),
  };
}

export const USUAL_POLICY: WorkerPolicy = policyOf(schema.parse({}));

/** For editors: schemas/worker-policy.json. */
export const policySchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`;

export interface ResumableFacts {
  readonly row: SessionRow;
  readonly summary: Pick<
    SessionSummary,
    "state" | "cause" | "agent" | "name" | "dirty_ends" | "last_attempt"
  >;
  /** Another session took its work up. */
  readonly isContinued: boolean;
  /** It came by an import, and nobody went on with it here. */
  readonly isImported: boolean;
  readonly nowMs: number;
}

/** Whether this policy takes a session up that was cut off. Suspended and asked-to-stop ones never are (L4). */
export function isTakenUp(
  policy: WorkerPolicy,
  { row, summary, isContinued, isImported, nowMs }: ResumableFacts,
): boolean {
  const { state, cause, agent, name, dirty_ends, last_attempt } = summary;
  if ((state !== "interrupted" && !isUnbegun(row, state)) || isContinued) return false;
  // Whoever wrote the file would else say what an agent does here: the user goes on with it first (T2).
  if (isImported) return false;
  if (isManualSession(row.id) || row.facts.gateway !== undefined || row.facts.only_heard === true)
    return false;
  if (!isMeant(policy, { agent, name })) return false;
  if (last_attempt >= policy.maxAttempts) return false;
  const seenMs = lastSignMs(row);
  if (seenMs === null) return true;
  const agoMs = Math.abs(nowMs - seenMs);
  if (agoMs > policy.maxAgeMs) return false;
  // A machine that went, or a drain, is not the session's own doing.
  const isItsOwn = cause !== "signal" && cause !== "lost" && cause !== "reboot" && cause !== "limit";
  return dirty_ends === 0 || !isItsOwn || agoMs >= policy.backoffMs * 2 ** (dirty_ends - 1);
}

/** An item that was taken and never begun: its worker died before the agent started, or could not start it. */
export const isUnbegun = ({ facts }: SessionRow, state: SessionSummary["state"]): boolean =>
  state === "idle" && typeof facts.queue === "string";

const isMeant = (
  { agents, names }: WorkerPolicy,
  { agent, name }: Pick<SessionSummary, "agent" | "name">,
): boolean => (!agents || agents.includes(agent ?? "")) && (!names || names.includes(name ?? ""));

/** When it was cut off, as near as anybody knows: the last heartbeat, or the last that was written of it. Null: nobody ever had it. */
function lastSignMs({ claim, lastAtMs = 0 }: SessionRow): number | null {
  const { acquiredAtMs, heartbeatAtMs, owner } = claim;
  if (acquiredAtMs === null) return null;
  return Math.max(acquiredAtMs, heartbeatAtMs ?? 0, owner === null ? lastAtMs : 0);
}

/** An item that nobody came to begin, as often as this policy tries: left alone it would be taken for ever. */
export const isGivenUp = (policy: WorkerPolicy, { row, summary }: ResumableFacts): boolean =>
  isUnbegun(row, summary.state) && isMeant(policy, summary) && summary.last_attempt >= policy.maxAttempts;

/** The repository a session works in, by its row; null: nobody knows. */
export function repositoryOfRow({ facts }: SessionRow): string | null {
  if (typeof facts.queue === "string") return repositoryIn(facts.queue);
  const root = isJsonObject(facts.capture) ? facts.capture.root_commit : null;
  return typeof root === "string" ? root.slice(0, 24) : null;
}

/** A usage limit belongs to an account, and whoever works on that account pauses until it ends, on every machine (docs/fleet.md). */
import { createHash } from "node:crypto";
import { FLEET_SESSION } from "../model/ids.ts";
import { isJsonObject } from "../model/json.ts";
import type { Environment } from "../platform/places.ts";
import { newRecord } from "../session/new-record.ts";
import { limitFact } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { AFTER_RESET_MS } from "../supervise/decide-loop.ts";
import { ensureJournal } from "./own-journals.ts";

/** Nobody said when it ends: it is tried again after this. */
const UNKNOWN_RESET_MS = 15 * 60_000;
/** A limit that ends later than this is tried before: what was said may be wrong. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** What an agent's account is known by, where a variable names it. */
const KEYS = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
];

/** By the agent, and by the key it is given: of a key a few characters of its hash, which give nothing of it away (T4). */
export function accountOf(agent: string, env: Environment): string {
  const keys = KEYS.flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : []));
  if (keys.length === 0) return agent;
  const digest = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 8);
  return `${agent}#${digest}`;
}

export interface FoundAccountLimit {
  readonly account: string;
  readonly session: string;
  /** Null: nobody said. */
  readonly resetsAtMs: number | null;
}

export async function recordLimit(store: Store, found: FoundAccountLimit): Promise<number> {
  const { clock } = store;
  const nowMs = clock.nowMs();
  const untilMs = Math.min(
    found.resetsAtMs === null ? nowMs + UNKNOWN_RESET_MS : found.resetsAtMs + AFTER_RESET_MS,
    nowMs + LONGEST_PAUSE_MS,
  );
  await ensureJournal(store, FLEET_SESSION, "fleet");
  const body = { account: found.account, session: found.session, until_ms: untilMs };
  await store.append(FLEET_SESSION, "anyone", [newRecord(clock, "account.limited", body)]);
  return untilMs;
}

/** When this account may go on; null: it may. */
export async function pausedUntil(store: Store, account: string): Promise<number | null> {
  const row = await store.session(FLEET_SESSION);
  const fact = row?.facts[limitFact(account)];
  const untilMs = isJsonObject(fact) && typeof fact.until_ms === "number" ? fact.until_ms : null;
  return untilMs !== null && untilMs > store.clock.nowMs() ? untilMs : null;
}

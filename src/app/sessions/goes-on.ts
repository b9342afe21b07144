/**
 * How a session was started, and whether `resume` would go on with it by that: a screen names the command only where it works (T6).
 */

import { existsSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { bodyAs } from "../../model/record.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { maskMarkers } from "../../text/redaction-marker.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Longer words of a command line are kept by their beginning only (text/redact-part.ts). */
const CUT_WORD_CHARS = 2000;

/** Nobody of ours started it: its agent is known, and what else was typed is not. */
export const isOnlyHeard = ({ facts }: SessionRow): boolean =>
  typeof facts.heard === "object" && facts.native_id === undefined;

/** As it was started, word for word: a word that was redacted or cut is not what ran (T1). */
export async function commandOf(store: RefloatStore, row: SessionRow): Promise<readonly string[]> {
  const { command, why } = await startedBy(store, row);
  if (why !== null) throw new RefloatError("E_RESUME_NO_COMMAND", { session: row.id, why });
  return command;
}

interface StartedBy {
  readonly command: readonly string[];
  /** Why it is not what ran; null: it is. */
  readonly why: string | null;
}

async function startedBy(store: RefloatStore, row: SessionRow): Promise<StartedBy> {
  const query = { session: row.id, kinds: ["agent.marked"] as const, order: "backward" as const, limit: 1 };
  const [marked] = await store.raw.records(query);
  const command = (marked && bodyAs(marked, "agent.marked")?.command) ?? [];
  const why = isSpokenTo(row) ? "its editor starts it: load the conversation there" : whyNotWhole(command);
  return { command, why };
}

/** Over ACP it waits for an editor's messages: a person at a terminal has none for it. */
const isSpokenTo = ({ facts: { heard } }: SessionRow): boolean =>
  isJsonObject(heard) && heard.channel === "acp";

function whyNotWhole(command: readonly string[]): string | null {
  if (command.length === 0) return "it was not started by refloat";
  if (command.some((word) => maskMarkers(word) !== word)) return "a secret was taken out of its command line";
  return command.some((word) => word.length > CUT_WORD_CHARS)
    ? "its command line was too long to keep"
    : null;
}

/** `all`: the sessions among which another one may have taken its work up; asked for only where that may be. */
export async function goesOn(
  store: RefloatStore,
  row: SessionRow,
  { state }: Pick<SessionSummary, "state">,
  all: () => Promise<readonly SessionRow[]>,
): Promise<boolean> {
  if (state !== "interrupted") return false;
  const place = workspaceIn(row);
  if (place === "" || !existsSync(place) || !(await canBeStarted(store, row))) return false;
  // Last: of ten thousand sessions it costs as much as the list of them.
  return !(await all()).some(({ facts }) => facts.continues === row.id);
}

async function canBeStarted(store: RefloatStore, row: SessionRow): Promise<boolean> {
  if (!isOnlyHeard(row)) return (await startedBy(store, row)).why === null;
  // Agents that are only read are started by nobody here.
  const { agentNamed } = await import("../../agents/registry.ts");
  return (agentNamed(String(row.facts.agent ?? ""))?.launch ?? null) !== null;
}

/**
 * Who may still work under a claim (K2): its owner, or, where that was a supervisor and is dead, the agent it had
 * started. An agent that outlived its supervisor still changes files; nobody may take its session for dead.
 */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { type Liveness, type Owner, processKey } from "../model/owner.ts";
import { livenessOf } from "../platform/liveness.ts";
import { environmentOf, listProcesses } from "../platform/process-list.ts";
import type { SessionRow } from "./contract/driver.ts";

export type AskLiveness = (owner: Owner) => Liveness;

/** For a look at many claims: of each process it is asked once, for it dies once, and one that was seen alive was so in this look. */
export function askedOnce(ask: AskLiveness = livenessOf): AskLiveness {
  const known = new Map<string, Liveness>();
  return (owner) => {
    const key = processKey(owner);
    const found = known.get(key) ?? ask(owner);
    known.set(key, found);
    return found;
  };
}

/** As in session/leftovers.ts, which stands above this room. */
const MARK_VARIABLE = "REFLOAT_SESSION";

export interface HolderState {
  readonly liveness: Liveness | null;
  /** The owner is dead and its agent is not: nobody watches over it. */
  readonly isAgentAlone: boolean;
}

export function livenessOfHolder(
  { claim, facts }: Pick<SessionRow, "claim" | "facts">,
  ask: AskLiveness = livenessOf,
): HolderState {
  if (!claim.owner) return { liveness: null, isAgentAlone: false };
  const ofOwner = ask(claim.owner);
  const ofAgent = ofOwner.kind === "dead" ? livenessOfAgent(facts, claim.attempt, ask) : null;
  const mayLive = ofAgent?.kind === "alive" || ofAgent?.kind === "unreachable";
  return mayLive ? { liveness: ofAgent, isAgentAlone: true } : { liveness: ofOwner, isAgentAlone: false };
}

function livenessOfAgent(facts: JsonObject, attempt: number, ask: AskLiveness): Liveness | null {
  const agent = agentOf(facts, attempt);
  if (agent) return ask(agent);
  // Its supervisor died between starting it and saying so: only its mark tells. Rare, so the look is worth it.
  const { agent_mark: mark } = facts;
  return typeof mark === "string" && isCarried(mark) ? { kind: "alive" } : null;
}

const isCarried = (mark: string): boolean =>
  (listProcesses() ?? []).some(({ pid, hasExited }) => {
    const found = hasExited ? null : environmentOf(pid, MARK_VARIABLE);
    return found?.kind === "is" && found.value === mark;
  });

/** The agent's process as its supervisor recorded it for this attempt (store/contract/session-facts.ts); null: none, or it was seen to end. */
export function agentOf(facts: JsonObject, attempt: number): Owner | null {
  const { agent_process: found } = facts;
  if (!isJsonObject(found) || found.attempt !== attempt) return null;
  const { host, boot, pid_namespace, pid, started } = found;
  const isWhole =
    typeof host === "string" &&
    typeof boot === "string" &&
    typeof pid_namespace === "string" &&
    typeof pid === "number";
  if (!isWhole) return null;
  const since = typeof started === "number" ? started : null;
  return { host, boot, pid_namespace, pid, started: since, instance: `agent ${pid}`, label: "the agent" };
}

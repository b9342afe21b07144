/**
 * What an agent's transcript says of its session and where it is damaged: read once from its beginning to its end, in bounded memory, and
 * not changed. Statuses are derived (fold-heard.ts); `live` only where its owner is proved to be alive (K2).
 */
import { lstatSync } from "node:fs";
import { hasLiveOwner } from "../../agents/live-owner.ts";
import type { TranscriptDamage } from "../../agents/transcript/damage.ts";
import {
  type HeardCallStatus,
  HeardFold,
  type TranscriptStatus,
} from "../../agents/transcript/fold-heard.ts";
import type { ReadTo } from "../../agents/transcript/read-lines.ts";
import { readTranscript } from "../../agents/transcript/read-transcript.ts";
import { isMended } from "../../agents/transcript/repair-lines.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { HeardSession } from "../../agents/words/heard.ts";
import { TRANSCRIPT_DAMAGE_LISTED } from "../../model/limits.ts";
import { keepHeapSmall } from "../../platform/own-process.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type TranscriptFile, type TranscriptOrder, transcriptFile } from "./transcript-file.ts";

export interface CheckedTranscript {
  readonly path: string;
  readonly agent: string;
  readonly session: HeardSession | null;
  readonly version: string | null;
  readonly status: TranscriptStatus;
  readonly messages: number;
  readonly calls: readonly { id: string; tool: string; status: HeardCallStatus }[];
  /** Calls that are over and not listed. */
  readonly callsLeftOut: number;
  /** In the order of the file. */
  readonly damage: readonly TranscriptDamage[];
  /** Damaged places that are not listed. */
  readonly damageLeftOut: number;
  /** Whether a repaired copy would be without some of it. */
  readonly isMendable: boolean;
  /** Types of records that this refloat does not know, and how often each came. */
  readonly unknown: ReadonlyMap<string, number>;
}

/** Names of tools and types are the agent's, and its model's, own words (T4). */
export async function checkTranscript(at: AppPlace, order: TranscriptOrder): Promise<CheckedTranscript> {
  const { checked } = readWhole(at, transcriptFile(at, order));
  const { calls, unknown } = checked;
  const names = [...new Set(calls.map(({ tool }) => tool))];
  const types = [...unknown];
  const { value } = await withoutSecrets({ names, types: types.map(([type]) => type) });
  const shown = new Map(names.map((name, at) => [name, value.names[at] ?? ""]));
  return {
    ...checked,
    calls: calls.map((call) => ({ ...call, tool: shown.get(call.tool) ?? "" })),
    unknown: new Map(types.map(([, times], at) => [value.types[at] ?? "", times])),
  };
}

export interface WholeReading {
  readonly checked: CheckedTranscript;
  /** Null: it is not made of lines. */
  readonly read: ReadTo | null;
}

/** From this size on reading it is the largest thing a process does. */
const LARGE_BYTES = 32 * 1024 * 1024;

export function readWhole({ env }: Pick<AppPlace, "env">, { path, agent }: TranscriptFile): WholeReading {
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGE_BYTES) keepHeapSmall();
  const fold = new HeardFold();
  const damage: TranscriptDamage[] = [];
  let damageLeftOut = 0;
  const read = readTranscript({ path, nativeId: null }, agent.transcript, {
    hear: (heard) => fold.hear(heard),
    damaged(one) {
      if (damage.length < TRANSCRIPT_DAMAGE_LISTED) damage.push(one);
      else damageLeftOut += 1;
    },
  });
  const { session } = fold;
  const isLive = session !== null && hasLiveOwner(agent, agentHome(env), session.nativeId);
  const checked = {
    path,
    agent: agent.name,
    session,
    version: fold.version,
    status: fold.status(isLive),
    messages: fold.messages,
    calls: fold.calls(isLive),
    callsLeftOut: fold.callsLeftOut,
    // Whether a parent is nowhere is known at the end.
    damage: damage.toSorted((a, b) => a.at.byte - b.at.byte),
    damageLeftOut,
    isMendable: damageLeftOut > 0 || damage.some(({ kind }) => isMended(kind, agent.transcript)),
    unknown: fold.unknownTypes,
  };
  return { checked, read };
}

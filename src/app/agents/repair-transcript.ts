/**
 * A copy of a damaged transcript without what can be mended, beside it and under a name no agent looks for. The original is not touched, and
 * nothing is written over.
 */
import { lstatSync } from "node:fs";
import type { TranscriptDamage } from "../../agents/transcript/damage.ts";
import { isMended, repairedLines } from "../../agents/transcript/repair-lines.ts";
import { RefloatError } from "../../model/errors.ts";
import { createDurableFrom } from "../../platform/durable-stream.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type CheckedTranscript, readWhole } from "./check-transcript.ts";
import { type TranscriptOrder, transcriptFile } from "./transcript-file.ts";

export interface RepairedTranscript {
  readonly path: string;
  readonly agent: string;
  readonly status: CheckedTranscript["status"];
  /** Null: there was nothing to mend. */
  readonly copy: { readonly path: string; readonly bytes: number } | null;
  readonly mended: readonly TranscriptDamage[];
  /** What stays as it is: doubled, too long, missing. */
  readonly left: readonly TranscriptDamage[];
  /** Damaged places that are not listed. */
  readonly damageLeftOut: number;
}

export async function repairTranscript(at: AppPlace, order: TranscriptOrder): Promise<RepairedTranscript> {
  const file = transcriptFile(at, order);
  const { path, agent } = file;
  const format = agent.transcript;
  const { checked, read } = readWhole(at, file);
  if (format.storage !== "lines" || read === null) {
    throw new RefloatError("E_UNSUPPORTED", {
      what: `Repairing a transcript of ${agent.title}`,
      why: `it is ${format.storage === "database" ? "a database" : "one document"}, not lines`,
      instead: "`refloat transcript check` says what can be read of it.",
    });
  }
  const mended = checked.damage.filter(({ kind }) => isMended(kind, format));
  const isWorth = mended.length > 0 || checked.damageLeftOut > 0;
  return {
    path,
    agent: agent.name,
    status: checked.status,
    copy: isWorth ? await copied(path, repairedLines(path, format, read.ids)) : null,
    mended,
    left: checked.damage.filter(({ kind }) => !isMended(kind, format)),
    damageLeftOut: checked.damageLeftOut,
  };
}

async function copied(path: string, pieces: Iterable<Buffer>): Promise<{ path: string; bytes: number }> {
  const copy = freeName(path, "repaired");
  // As private, or as open, as the file it is to stand for.
  const mode = lstatSync(path).mode & 0o777;
  return { path: copy, bytes: await createDurableFrom(copy, asTheyCome(pieces), { mode }) };
}

async function* asTheyCome(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
}

/** So many copies of one file: whoever has more repairs in a circle. */
const MAX_COPIES = 1000;

/** One that ends as no transcript does: agents list what lies in their folders. */
export function freeName(path: string, what: "repaired" | "before-repair"): string {
  for (let n = 1; n <= MAX_COPIES; n++) {
    const name = n === 1 ? `${path}.${what}` : `${path}.${what}-${n}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
  throw new RefloatError("E_EXISTS", { path: `${path}.${what}` });
}

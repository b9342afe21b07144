/**
 * What the user's check said of a session's work, kept beside the store for whoever looks at the same work without running
 * it (S7): the last run of each session. It counts for the very same content only: the same HEAD with the same groups, whose
 * ids are hashes of their bytes. Losing it costs a run of the check: until then the work is not checked.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { KeptTexts } from "../../platform/kept-texts.ts";
import { keptKey, keptValue } from "../../triage/facts/known/kept.ts";
import type { VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import { openKeptAnalysis } from "../analysis/kept-analysis.ts";
import { whyNotOwn } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";
import type { Dependencies } from "./dependencies.ts";

const outcome = z.enum(["passed", "failed", "not-run"]);

/** A verdict rests on it: what is not of this shape was not said (T1). */
const kept = z.object({
  command: z.string(),
  of: z.string(),
  head: outcome,
  groups: z.array(z.tuple([z.string(), outcome])),
  clashing: z.array(z.string()),
});

export interface KeptCheck {
  readonly command: string;
  /** Null: it was said of other content. */
  saidOf(found: Salvage): VerifyFact | null;
}

/** Null: none is kept of this session. */
export function keptCheck(texts: KeptTexts | null, session: string): KeptCheck | null {
  const said = keptValue(texts, keptKey({ kind: "check", session }), kept);
  if (!said) return null;
  const { of, groups, ...rest } = said;
  return {
    command: rest.command,
    saidOf: (found) => (contentOf(found) === of ? { ...rest, groups: new Map(groups) } : null),
  };
}

/** `found`: as it was judged before the check. */
export function keepCheck(home: string, found: Salvage, verify: VerifyFact): void {
  const { command, head, groups, clashing } = verify;
  const said: z.infer<typeof kept> = {
    ...{ command, head, of: contentOf(found) },
    groups: [...groups],
    clashing: [...clashing],
  };
  const key = keptKey({ kind: "check", session: found.session.id });
  withTexts(home, (texts) => texts.set(key, JSON.stringify(said)));
}

/** A run of a check on a commit alone. */
export interface HeadRun {
  readonly headId: string;
  readonly command: string;
  /** What is installed beside the commit is part of what was run. */
  readonly dependencies: Pick<Dependencies, "how" | "given">;
}

/**
 * Those that this process saw pass: where the work of the next session passes upon the same commit, HEAD need not be run again beside it.
 * One that failed is not remembered: what was missing may be there by now. Nor is any for another process, beside the store: what HEAD needs
 * may have been installed anew in the same place since, and who is judged may write there (T2).
 */
const passedRuns = new Set<string>();

export const isHeadKnown = (run: HeadRun): boolean => passedRuns.has(headKey(run));

export const rememberHead = (run: HeadRun): void => {
  passedRuns.add(headKey(run));
};

const headKey = ({ headId, command, dependencies: { how, given } }: HeadRun): string =>
  hashOf([headId, command, how, ...given.map(({ path, real }) => [path, real])]);

/** Opened anew each time: while a check ran for minutes, another process may have put another file in the old one's place. */
function withTexts<Result>(home: string, use: (texts: KeptTexts) => Result): Result {
  const texts = openKeptAnalysis(home);
  try {
    return use(texts);
  } finally {
    texts.close();
  }
}

const hashOf = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** What of a file that was dirty before is the session's is told by the session, its bytes now and HEAD. */
function contentOf({ groups, session, owned }: Salvage): string {
  const own = groups.filter((group) => session.isImplied || whyNotOwn(group) === null);
  const parts = [owned.now.headId, ...own.map(({ id }) => id).sort()];
  return hashOf(parts);
}

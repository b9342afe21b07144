/** Rules about who holds what: gone owners (K2, K3), the lock beside the claims, the file beside the store (K5). */
import { shellLineWord } from "../text/escape.ts";
import type { FileHolder } from "./holders.ts";
import { findEach, NOTHING_FOUND, type StateRule } from "./rule.ts";
import { own } from "./state-doc.ts";
import { claimsNotShown } from "./step-claims.ts";

export const noClaimRule = {
  id: "no-claim",
  severity: "warning",
  about: "A step of a 2.0 file has no `claim`.",
  command: "refloat state repair {file}",
  check: ({ version, steps }) => {
    if (version !== "2.0") return NOTHING_FOUND;
    return findEach(steps, ({ key, body, isThere }) =>
      isThere && own(body, "claim") === undefined
        ? { place: ["steps", key, "claim"], message: "The step has no claim, not even a free one." }
        : null,
    );
  },
} as const satisfies StateRule;

export const staleClaimRule = {
  id: "stale-claim",
  severity: "warning",
  about:
    "A lock or claim has an owner who is gone: by the store where it knows the claim; else the heartbeat is missing, or as far away as the threshold (where a timer beats: as four beats) or farther.",
  command: "refloat state repair {file}",
  check: ({ holders }) =>
    findEach(holders, (holder) =>
      holder.isStale
        ? { place: holder.place, message: `${whatIsStale(holder)}: the next one may take it.` }
        : null,
    ),
} as const satisfies StateRule;

function whatIsStale({ step, owner, word }: FileHolder): string {
  const what = step === null ? "The lock" : `The claim on step ${step}`;
  switch (word) {
    case "store":
      return `${what} is ${owner}'s, who is gone`;
    case "over":
      return `${what} is ${owner}'s in the file, and is over`;
    case "file":
      return `${what} is ${owner}'s, whose heartbeat is stale`;
    default:
      return word satisfies never;
  }
}

/** By the file's word somebody may be at work: only an order takes it from them (K4). */
const BREAK_LOCK = "refloat claim break lock --file {file} --reason WHY";

export const lockMismatchRule = {
  id: "lock-mismatch",
  severity: "warning",
  about: "The lock and the claims of a 2.0 file disagree about who is at work.",
  command: "refloat state repair {file}",
  check: ({ holders }) => {
    const lock = holders.find(({ step }) => step === null);
    const claims = holders.filter(({ step }) => step !== null);
    if (!lock && claims.length === 0) return NOTHING_FOUND;
    if (!lock)
      return [{ place: ["lock"], message: `Step ${claims[0]?.step} is claimed, but nobody has the lock.` }];
    const command = lock.word === "file" && !lock.isStale ? { command: BREAK_LOCK } : {};
    const same = claims.filter(({ owner }) => owner === lock.owner);
    if (same.length === 0) {
      const message = `${lock.owner} has the lock but claims no step.`;
      return [{ place: ["lock", "owner_id"], message, ...command }];
    }
    if (same.every(({ token }) => token !== lock.token)) {
      const message = "The lock's token is not that of its owner's claim.";
      return [{ place: ["lock", "attempt_token"], message, ...command }];
    }
    return [];
  },
} as const satisfies StateRule;

export const storeClaimRule = {
  id: "claim-store",
  severity: "warning",
  about: "Somebody at work holds a step by the store's claim, and the file does not show it.",
  command: "refloat state repair {file}",
  check: ({ version, doc, shape, holders, claims }) => {
    if (version !== "2.0" || claims === null) return NOTHING_FOUND;
    return claimsNotShown(doc, shape, holders, claims).map(({ step, owner, claim }) => {
      const said = holders.find((holder) => holder.step === step)?.owner ?? null;
      const inFile = said === null ? "that nobody does" : `says ${said}`;
      return {
        place: ["steps", step, "claim"],
        message: `The store says that ${owner} holds step ${step}, the file ${inFile}.`,
        // What an older refloat did not keep cannot be written down again.
        ...(claim.token === null
          ? { command: `refloat claim break ${shellLineWord(claim.session)} --reason WHY` }
          : {}),
      };
    });
  },
} as const satisfies StateRule;

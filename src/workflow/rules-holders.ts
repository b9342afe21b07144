/** Rules about who holds what: heartbeats (K3), the lock beside the claims, the file beside the store (K5). */
import { findEach, NOTHING_FOUND, type Rule } from "./rule.ts";

export const staleClaimRule = {
  id: "stale-claim",
  severity: "warning",
  about:
    "A lock or claim has an owner whose heartbeat is missing, or as far away as the threshold or farther.",
  command: "refloat state repair {file}",
  check: ({ holders }) =>
    findEach(holders, ({ place, owner, step, isStale }) => {
      if (!isStale) return null;
      const what = step === null ? "The lock" : `The claim on step ${step}`;
      return { place, message: `${what} is ${owner}'s, whose heartbeat is stale: the next one may take it.` };
    }),
} as const satisfies Rule;

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
    const same = claims.filter(({ owner }) => owner === lock.owner);
    if (same.length === 0)
      return [{ place: ["lock", "owner_id"], message: `${lock.owner} has the lock but claims no step.` }];
    if (same.every(({ token }) => token !== lock.token))
      return [
        { place: ["lock", "attempt_token"], message: "The lock's token is not that of its owner's claim." },
      ];
    return [];
  },
} as const satisfies Rule;

export const storeClaimRule = {
  id: "claim-store",
  severity: "warning",
  about: "The store's claim on a step has another owner than the file says.",
  command: "refloat claim break SESSION --reason WHY",
  check: ({ version, holders, claims }) => {
    if (version !== "2.0" || claims === null) return NOTHING_FOUND;
    const inFile = new Map(holders.map(({ step, owner }) => [step, owner]));
    return [...claims].flatMap(([step, { owner, session }]) => {
      const said = inFile.get(step) ?? null;
      if (owner === null || owner === said) return [];
      return [
        {
          place: ["steps", step, "claim"],
          message: `The store says that ${owner} holds step ${step}, the file ${said === null ? "that nobody does" : `says ${said}`}.`,
          command: `refloat claim break ${session} --reason WHY`,
        },
      ];
    });
  },
} as const satisfies Rule;

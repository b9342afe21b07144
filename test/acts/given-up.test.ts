/** A started plan goes over only from an executor that is dead or gave it up itself (K4): here the executor lives all the time. */
import { describe, expect, it } from "vitest";
import { inverseOf } from "../../src/acts/compilers/undo.ts";
import { actsSessionOf, withActsClaim } from "../../src/acts/plans/acts-session.ts";
import { openPlans, type Plan } from "../../src/acts/plans/plans.ts";
import { madeRecord } from "../../src/acts/plans/records.ts";
import { finishPlans } from "../../src/acts/primitive/finish-plans.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { randomId } from "../../src/platform/random.ts";
import { breakClaim } from "../../src/session/claims.ts";
import { treeMark } from "../../src/workspace/opening/tree-mark.ts";
import { type Acting, acting } from "../support/acting.ts";

/** A change that was done: its inverse is what the plans here are about. */
async function changed(): Promise<{ a: Acting; plan: Plan }> {
  const a = await acting();
  a.repo.write("a", "old\n");
  return { a, plan: await a.done({ puts: [a.to("a", await a.file("new\n"))] }) };
}

/** An open plan of this very process; `meanwhile` happens before its executor gives its claim back, if it still has it. */
async function leaveOpen(
  { raw, here }: Acting,
  done: Plan,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  await withActsClaim(raw, here, async ({ session, attempt, owner }) => {
    const plan = {
      ...done,
      puts: inverseOf(done).puts.map((put) => ({ ...put, ignored: false })),
      id: randomId(),
      token: randomId(),
      executor: owner,
      refs: [],
      makes: [],
      empties: [],
      conflicts: [],
      workspace: { path: here.root, clone: treeMark(here) },
    };
    await raw.append(session, { attempt }, [madeRecord(raw.clock, plan)]);
    await meanwhile?.();
  });
  expect(await openPlans(raw, here)).toHaveLength(1);
}

describe("an open plan whose executor lives", () => {
  it("is settled by the next start where the executor gave its claim back after it (K4, S5)", async () => {
    const { a, plan } = await changed();
    await leaveOpen(a, plan);
    expect(await finishPlans(a.raw, a.here)).toMatchObject([{ outcome: "done" }]);
    expect(a.repo.read("a")).toBe("old\n");
    expect(await openPlans(a.raw, a.here)).toEqual([]);
  });

  it("is left alone where its claim was broken by order: the executor may still run, whoever gave a claim back since or before (K4)", async () => {
    const { a, plan } = await changed();
    const unreachable = () => ({ kind: "unreachable", because: "not-readable" }) as const;
    await leaveOpen(a, plan, () =>
      breakClaim(a.raw, actsSessionOf(a.here), selfOwner("claim break"), "it hangs", unreachable),
    );
    for (let start = 0; start < 2; start++) {
      await expect(finishPlans(a.raw, a.here)).rejects.toMatchObject({ code: "E_ACT_BUSY" });
      expect(a.repo.read("a")).toBe("new\n");
      expect(await openPlans(a.raw, a.here)).toHaveLength(1);
    }
  });
});

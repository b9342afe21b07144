/** S7: what a trusted check has not been run on is not safe by anybody's word; what needs no word stays what it is. */
import { describe, expect, it } from "vitest";
import type { CheckOutcome } from "../../triage/facts/known/triage-facts.ts";
import type { Group, Reason } from "../../triage/verdict/group.ts";
import type { Salvage } from "../judging/salvage.ts";
import { notChecked, untriedNotChecked } from "./checked-salvage.ts";

const reason = (rule: string, weight: Reason["weight"]): Reason => ({
  rule,
  weight,
  message: rule,
  evidence: [],
});
const group = (id: string, verdict: Group["verdict"], ...reasons: Reason[]): Group => ({
  ...{ id, verdict, reasons, changes: [] },
});

const BY_WORD = group("word", "safe", reason("closed-and-sound", "safe"), reason("recurring-writer", "note"));
const MIXED = group("mixed", "safe", reason("append-only", "safe"), reason("closed-and-sound", "safe"));
const JOURNAL = group("journal", "safe", reason("append-only", "safe"));
const RECORD = group("record", "safe", reason("record-update", "safe"));
const BY_USER = group("user", "safe", reason("override", "safe"), reason("closed-and-sound", "safe"));
const RISKY = group("risky", "risky", reason("parse", "risky"));
const DOUBTED = group("doubted", "unknown", reason("open-end", "note"));

const found = (headId: string | null, ...groups: Group[]): Salvage =>
  ({ groups, session: { isImplied: false }, owned: { now: { headId } } }) as unknown as Salvage;
const seen = (groups: readonly Group[]): Record<string, string> =>
  Object.fromEntries(
    groups.map(({ id, verdict, reasons }) => [id, [verdict, ...reasons.map(({ rule }) => rule)].join(" ")]),
  );

describe("a trusted check that was not run (S7)", () => {
  it("leaves nothing safe that rests on a word, and keeps journals, records, the user's own verdict and what is risky", () => {
    const groups = [BY_WORD, MIXED, JOURNAL, RECORD, BY_USER, RISKY, DOUBTED];
    expect(seen(notChecked(found("c0ffee", ...groups), "make test"))).toEqual({
      word: "unknown not-checked recurring-writer",
      mixed: "unknown not-checked",
      journal: "safe append-only",
      record: "safe record-update",
      user: "safe override closed-and-sound",
      risky: "risky parse",
      doubted: "unknown open-end not-checked",
    });
  });

  it("says what runs it, or that there is no commit to run it upon", () => {
    const words = (headId: string | null): string | undefined =>
      notChecked(found(headId, BY_WORD), "make test")[0]?.reasons[0]?.message;
    expect(words("c0ffee")).toContain("inspect and settle run it");
    expect(words(null)).toContain("no commit");
  });
});

describe("a check that was run, and not tried with all of them (S7)", () => {
  const verify = (head: CheckOutcome, ...tried: [string, CheckOutcome][]) => ({
    ...{ command: "make test", head, groups: new Map(tried), clashing: [] },
  });

  it("leaves what it did not get to, or could not lay upon HEAD, not checked", () => {
    const groups = [BY_WORD, MIXED, JOURNAL];
    expect(
      seen(untriedNotChecked(groups, verify("passed", ["word", "passed"], ["mixed", "not-run"]))),
    ).toEqual({
      word: "safe closed-and-sound recurring-writer",
      mixed: "unknown not-checked",
      journal: "safe append-only",
    });
  });

  it("says nothing where it fails on HEAD alone: there is nothing to wait for", () => {
    expect(untriedNotChecked([BY_WORD], verify("failed"))).toEqual([BY_WORD]);
  });
});

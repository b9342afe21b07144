import { describe, expect, it } from "vitest";
import { NOTICE_AGE_MS, NOTICE_LINES, type NoticeFacts, noticeOf } from "./notice.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const DIED: NoticeFacts = {
  id: "7k2m9q4x",
  agent: "claude",
  state: "interrupted",
  unsettled: true,
  lastAtMs: NOW - 3 * 60 * 60_000,
  branch: "main",
  branchNow: "main",
  verdicts: { safe: 2, risky: 1, unknown: 0 },
  openCalls: [{ tool: "shell" }],
  others: 0,
  shownForAttempt: null,
  attempt: 2,
};

describe("the notice at a session's start", () => {
  it("says what died, when, how many groups, and how to read on, in at most eight lines", () => {
    const notice = noticeOf(DIED, NOW) ?? "";
    expect(notice).toContain("`claude` was cut off here 3 h ago");
    expect(notice).toContain("3 groups of changes: 2 safe, 1 risky, 0 unknown");
    expect(notice).toContain("refloat handoff 7k2m9q4x");
    expect(noticeOf({ ...DIED, others: 2 }, NOW)).toContain(
      "2 other sessions left work here, too: refloat\n",
    );
    expect(notice.trimEnd().split("\n").length).toBeLessThanOrEqual(NOTICE_LINES);
  });

  it("comes once for an interruption, and again when the next try was cut off too", () => {
    expect(noticeOf({ ...DIED, shownForAttempt: 2 }, NOW)).toBeNull();
    expect(noticeOf({ ...DIED, shownForAttempt: 1 }, NOW)).not.toBeNull();
  });

  it("does not come for what is settled, on another branch, live, undated or 72 hours old", () => {
    const silent: readonly Partial<NoticeFacts>[] = [
      { unsettled: false },
      { branchNow: "other" },
      { branchNow: null },
      { state: "live" },
      { lastAtMs: null },
      { lastAtMs: NOW - NOTICE_AGE_MS },
    ];
    for (const facts of silent)
      expect(noticeOf({ ...DIED, ...facts }, NOW), JSON.stringify(facts)).toBeNull();
    expect(noticeOf({ ...DIED, lastAtMs: NOW - NOTICE_AGE_MS + 1 }, NOW)).not.toBeNull();
  });

  it("keeps hostile names on their own line, in code marks (T3)", () => {
    const notice = noticeOf({ ...DIED, agent: "a\n# `x`", openCalls: [{ tool: "\n- do it" }] }, NOW) ?? "";
    expect(notice).toContain("`a # 'x'`");
    expect(notice).not.toMatch(/^- do it/m);
    expect(notice.trimEnd().split("\n").length).toBeLessThanOrEqual(NOTICE_LINES);
  });
});

import { describe, expect, it } from "vitest";
import { around, freshDoc, NOW_MS, withStepFields } from "../../test/workflow/samples.ts";
import type { JsonObject } from "../model/json.ts";
import { tokensOf } from "../text/cut-to-bytes.ts";
import { numberOfToken, tokenFor } from "./claim-token.ts";
import { handoffFor } from "./handoff-text.ts";
import { holdersIn, type StoreClaim, strangerAt } from "./holders.ts";
import { stepsIn } from "./state-doc.ts";
import { withClaim, withoutClaim } from "./step-claims.ts";
import { ORIGINAL_WORKFLOW, stepNamed } from "./step-list.ts";
import { decided, decideStep, type StepExtras, type StepOrder } from "./step-transition.ts";
import { validateValue } from "./validate.ts";

const shape = ORIGINAL_WORKFLOW;
const none: StepExtras = { artifacts: [], contextFiles: [], findings: [], resolved: [] };
const at = "2026-06-01T12:00:00Z";
const run = (doc: JsonObject, step: string, order: StepOrder, extras = none) => {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  if (!view) throw new Error(step);
  return decideStep({ doc, shape, step: view, extras, nowMs: NOW_MS }, order);
};
const stepOf = (doc: JsonObject, step: string): JsonObject =>
  (doc.steps as Record<string, JsonObject>)[step] ?? {};
const found = (doc: JsonObject): string[] =>
  validateValue("f", doc, around()).findings.map(({ rule, path }) => `${rule} ${path}`);
const inProgress = { status: "in_progress", started: "2026-06-01T10:00:00Z" };
const atWork = (more: JsonObject = {}): JsonObject => ({
  ...withStepFields(freshDoc(), "1", { ...inProgress, ...more }),
  current_step: 1,
});
const finished = (status: string): JsonObject => ({
  ...withStepFields(freshDoc(), "1", { status, started: at, completed: at }),
  current_step: 1,
});

describe("the resume rules", () => {
  it.each([
    ["pending starts", freshDoc(), { kind: "fresh" }],
    ["in progress without a checkpoint starts again", atWork(), { kind: "restart" }],
    [
      "in progress with one goes on behind it and reads nothing again",
      atWork({ sub_step: "phase_2", context_files_used: ["a.md"] }),
      { kind: "after", subStep: "phase_2", alreadyRead: ["a.md"] },
    ],
  ])("%s", (_name, doc, resume) => {
    const next = run(doc, "1", { kind: "start" });
    expect(next).toMatchObject({ kind: "changed", resume });
  });

  it.each([
    ["complete", "start"],
    ["skipped", "start"],
    ["complete", "done"],
    ["skipped", "done"],
    ["complete", "skip"],
    ["complete", "sub"],
    ["pending", "sub"],
    ["pending", "done"],
    ["pending", "reset"],
  ])("a step that is %s is not asked to %s: refused with the way out", (status, kind) => {
    const doc = status === "pending" ? freshDoc() : finished(status);
    const next = run(doc, "1", { kind, name: "x", reason: null } as StepOrder);
    expect(next.kind).toBe("refused");
    // What starts it where it can be started; a finished one names the next, and its reset.
    const way =
      status !== "pending"
        ? /^Next is step 2 .*`refloat step start 2`.*`refloat step reset 1 /
        : /refloat step start 1/;
    if (next.kind === "refused") expect(next.instead).toMatch(way);
  });

  it("warns, and does not refuse, when an earlier step is not finished or the budget is passed", () => {
    const next = run(freshDoc(), "2", { kind: "start" }, { ...none, contextFiles: ["a", "b", "c", "d"] });
    expect(next.kind === "changed" && next.warnings).toEqual([
      "Step 1 (Requirements) before it is pending.",
      "Step 2 has loaded 4 files; its budget is 3.",
    ]);
  });
});

describe("every change", () => {
  it("leaves a document without findings: start, checkpoint, done, skip, reset", () => {
    let doc = freshDoc();
    const orders: readonly [string, StepOrder][] = [
      ["1", { kind: "start" }],
      ["1", { kind: "sub", name: "phase_1_discovery" }],
      ["1", { kind: "done" }],
      ["2", { kind: "skip", reason: "not needed" }],
      ["3", { kind: "start" }],
      ["3", { kind: "reset", reason: "again" }],
    ];
    for (const [step, order] of orders) {
      const next = run(doc, step, order, {
        ...none,
        findings: [`${step}-${order.kind}`],
        resolved: ["1-start"],
      });
      if (next.kind === "refused") throw new Error(next.why);
      doc = next.doc;
      expect(found(doc), order.kind).toEqual([]);
    }
    expect(stepOf(doc, "1")).toMatchObject({
      status: "complete",
      sub_step: null,
      started: at,
      completed: at,
    });
    expect(doc.open_findings).not.toContain("1-start");
    expect(doc.decision_log).toMatchObject([
      { id: "D001", step: 2, key: "step_2", value: "skipped", reason: "not needed" },
      { id: "D002", step: 3, key: "step_3", value: "reset", reason: "again" },
    ]);
  });

  it("of a decision is in `decisions` and in the log, in the one form, beside the entries of others", () => {
    const foreign = { decision: "x", timestamp: at, step: "3_5" };
    const doc = decided(
      { ...freshDoc(), decision_log: [foreign] },
      { step: "3.5", key: "iac_tool", value: "Bicep", reason: "r", timestamp: at },
    );
    expect(doc.iac_tool).toBe("Bicep");
    expect(doc.decision_log).toEqual([
      foreign,
      { id: "D002", step: 3.5, key: "iac_tool", value: "Bicep", reason: "r", timestamp: at },
    ]);
    expect(found(doc)).toEqual([]);
  });
});

describe("a step's claim in the file (K5)", () => {
  const token = tokenFor({ number: 1, owner: "a", random: "0123456789abcdef0123456789abcdef" });
  const mirror = { owner: "a", token, nowMs: NOW_MS };

  it("is shown with the lock, counts retries, logs whom it was taken from, and is free again without a finding", () => {
    const claimed = withClaim({ doc: atWork(), shape, step: "1" }, mirror, { owner: "gone", why: "lost" });
    expect(stepOf(claimed, "1").claim).toMatchObject({
      owner_id: "a",
      attempt_token: token,
      retry_count: 1,
      event_log: [{ type: "stale_recovery", previous_owner: "gone", new_owner: "a" }],
    });
    expect(claimed.lock).toMatchObject({ owner_id: "a", attempt_token: token });
    expect(found(claimed)).toEqual([]);
    const released = withoutClaim({ doc: claimed, shape, step: "1" }, "complete", NOW_MS);
    expect(released.lock).toEqual({ owner_id: null, heartbeat: null, attempt_token: null, acquired: null });
    expect(found(released)).toEqual([]);
  });

  it("has tokens that grow with the attempt, and are another's for another owner and another chance", () => {
    const random = "f".repeat(32);
    const numbers = [1, 2, 15, 16, 255, 256, 70_000];
    const tokens = numbers.map((number) => tokenFor({ number, owner: "a", random }));
    expect(tokens.toSorted()).toEqual(tokens);
    expect(tokens.map(numberOfToken)).toEqual(numbers);
    const [first] = tokens;
    expect(tokenFor({ number: 1, owner: "b", random })).not.toBe(first);
    expect(tokenFor({ number: 1, owner: "a", random: "e".repeat(32) })).not.toBe(first);
    expect(numberOfToken("00000001-0000-4000-8000-000000000000")).toBeNull();
  });

  it("of a store that did not keep tokens yet is known by its owner and its number (D5)", () => {
    const claimed = withClaim({ doc: atWork(), shape, step: "1" }, mirror, null);
    const known = { attempt: 1, owner: "a", token: null };
    const more = { session: "s", isOfFile: false, isSession: false, heartbeatMs: null, known: [known] };
    const words = (claim: StoreClaim) =>
      holdersIn(claimed, shape, NOW_MS, new Map([["1", claim]])).map(({ word }) => word);
    expect(words({ ...known, ...more, isHeld: true })).toEqual(["store", "store"]);
    expect(words({ ...known, ...more, owner: null, isHeld: false })).toEqual(["over", "over"]);
    const other = { attempt: 2, owner: "b", token: null };
    expect(words({ ...other, ...more, known: [other], isHeld: true })).toEqual(["file", "file"]);
  });

  it.each([
    ["fresh", "2026-06-01T11:59:00Z", true],
    ["missing", null, false],
    ["at the threshold", "2026-06-01T11:55:00Z", false],
  ])(
    "of a stranger is honoured only while its heartbeat is fresh (K3): %s",
    (_name, heartbeat, isHonoured) => {
      const doc = {
        ...freshDoc(),
        lock: { owner_id: "stranger", heartbeat, attempt_token: null, acquired: null },
      };
      const stranger = strangerAt(holdersIn(doc, shape, NOW_MS), "1");
      expect(stranger).toMatchObject({ owner: "stranger", word: "file", isStale: !isHonoured });
    },
  );
});

describe("the handoff", () => {
  it("stays within its budget however much there is, and says where the rest is", () => {
    const many = Array.from({ length: 500 }, (_, i) => `finding ${i} ${"x".repeat(100)}`);
    const doc = { ...withStepFields(freshDoc(), "1", { artifacts: many }), open_findings: many };
    const text = handoffFor(doc, shape, null);
    expect(tokensOf(text)).toBeLessThanOrEqual(shape.handoffTokens);
    expect(text).toContain("more in `open_findings`");
    expect(text).toContain("## Context for Next Step");
  });

  it("keeps sections of others and lets no untrusted text begin a line (T3)", () => {
    const doc = { ...freshDoc(), open_findings: ["a\n## Fake\n- [x] Step 7: As-Built"] };
    const text = handoffFor(doc, shape, "# x\n\n## Skill Context\n\n- mine\n\n## Artifacts\n\n- old\n");
    expect(text).toContain("## Skill Context\n\n- mine");
    expect(text).not.toContain("- old");
    expect(text).not.toMatch(/^## Fake/m);
    expect(stepNamed(shape, "3_5")?.id).toBe("3.5");
  });
});

import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { around, freshDoc, NOW_MS, SAMPLES, sample, withStepFields } from "../../test/workflow/samples.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { definitionFor, jsonSchemaOf, VERSIONS } from "./definition.ts";
import type { StoreClaim } from "./holders.ts";
import { quickCheck } from "./quick-check.ts";
import type { SubjectSurroundings } from "./rule.ts";
import { RULES } from "./rules.ts";
import { ORIGINAL_WORKFLOW } from "./step-list.ts";
import { validateText, validateValue } from "./validate.ts";

const found = (value: unknown, more: Partial<SubjectSurroundings> = {}): string[] =>
  validateValue("f.json", value, around(more)).findings.map(({ rule, path }) => `${rule} ${path}`.trim());
const TOKEN = "00000001-0000-4000-8000-000000000000";
const fresh = "2026-06-01T11:59:00Z";
const held = { owner_id: "a", heartbeat: fresh, attempt_token: TOKEN };
const ofStore: StoreClaim = {
  session: "workflow-1-step-1",
  owner: "b",
  attempt: 2,
  token: TOKEN,
  isHeld: true,
  isOfFile: false,
  isSession: false,
  heartbeatMs: null,
  known: [{ attempt: 2, owner: "b", token: TOKEN }],
};
const done = { status: "complete", started: fresh, completed: fresh };
const without = (doc: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(doc).filter(([name]) => name !== key));

const OLD = "old-version schema_version";

describe("the findings of real files", () => {
  it.each([
    ["v1.0-template", [OLD]],
    ["v2.0-full-template", []],
    ["v3.0-template", []],
    ["v1.0-my-webapp", [OLD, "sub-step-left steps.1.sub_step"]],
    ["apex-b31c72c8", []],
    ["apex-e5d87e8d", []],
    [
      "apex-3da4918b",
      [
        "never-run steps.1",
        "never-run steps.2",
        "sub-step-left steps.2.sub_step",
        "current-step current_step",
      ],
    ],
    ["apex-46170c3e-g5", ["never-run steps.3", "current-step current_step", "gap steps.1", "gap steps.2"]],
    ["apex-46170c3e-g6", ["never-run steps.3", "current-step current_step", "gap steps.1", "gap steps.2"]],
    ["apex-46170c3e-g7", ["never-run steps.3", "current-step current_step", "gap steps.1", "gap steps.2"]],
    ["apex-7fe25a92", ["never-run steps.1", "never-run steps.2", "never-run steps.3", "stale-handoff"]],
    [
      "jungho-nordic",
      [
        OLD,
        "date-order steps.5.completed",
        ...["1", "2", "4", "5", "6", "7"].map((step) => `sub-step-left steps.${step}.sub_step`),
        "gap steps.3",
        "budget steps.7.context_files_used",
        "stale-handoff",
      ],
    ],
  ])(
    "%s: all of them, none is an error, and of the three templates only the oldest has one: its version",
    (name, expected) => {
      const { text, handoff } = sample(name);
      // The samples are documents; most came without the file beside them, which is no finding of theirs.
      const beside = handoff === null ? {} : { handoff: () => handoff };
      const { findings } = validateText("f.json", text, around(beside));
      expect(findings.map(({ rule, path }) => `${rule} ${path}`.trim())).toEqual(expected);
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    },
  );
});

/** One broken document per rule; the sound one beside it is the template, which has no findings at all. */
const BROKEN: Readonly<Record<string, readonly [value: Json, more?: Partial<SubjectSurroundings>]>> = {
  version: [{ ...freshDoc(), schema_version: "9.0" }],
  "missing-field": [without(freshDoc(), "region")],
  "bad-value": [{ ...freshDoc(), iac_tool: "pulumi" }],
  "step-missing": [
    freshDoc(),
    {
      shape: {
        ...ORIGINAL_WORKFLOW,
        steps: ORIGINAL_WORKFLOW.steps.map((s) =>
          s.id === "3.5" ? { ...s, id: "9.5", isOptional: false } : s,
        ),
      },
    },
  ],
  "audit-key": [{ ...freshDoc(), review_audit: { step_9: {} } }],
  "old-version": [freshDoc("1.0")],
  "unknown-field": [{ ...freshDoc(), curent_step: 1 }],
  "no-lock": [without(freshDoc(), "lock")],
  "old-fields": [{ ...freshDoc("3.0"), lock: {} }],
  "decision-time": [{ ...freshDoc(), decision_log: [{ id: "D1", step: 1, key: "a", value: "b" }] }],
  "decision-id": [
    {
      ...freshDoc(),
      decision_log: [1, 2].map((value) => ({ id: "D1", key: "a", value, timestamp: fresh })),
    },
  ],
  "decision-step": [{ ...freshDoc(), decision_log: [{ decision: "x", step: "8", timestamp: fresh }] }],
  "log-missing": [
    freshDoc(),
    { log: { seen: [{ key: "a", value: "b" }], written: [{ key: "a", value: "b" }] } },
  ],
  "log-strange": [
    { ...freshDoc(), decision_log: [{ id: "D1", key: "a", value: "b", timestamp: fresh }] },
    { log: { seen: [], written: [] } },
  ],
  "decision-differs": [{ ...freshDoc(), decisions: { a: "b" }, decision_log: [{ key: "a", value: "c" }] }],
  "no-time": [{ ...withStepFields(freshDoc(), "1", { status: "in_progress" }), current_step: 1 }],
  "never-run": [{ ...withStepFields(freshDoc(), "1", { status: "complete" }), current_step: 1 }],
  date: [{ ...freshDoc(), updated: "yesterday" }],
  "date-order": [
    { ...withStepFields(freshDoc(), "1", { ...done, completed: "2025-01-01T00:00:00Z" }), current_step: 1 },
  ],
  "sub-step-left": [{ ...withStepFields(freshDoc(), "1", { ...done, sub_step: "x" }), current_step: 1 }],
  "current-step": [withStepFields(freshDoc(), "1", done)],
  gap: [{ ...withStepFields(freshDoc(), "2", done), current_step: 2 }],
  budget: [withStepFields(freshDoc(), "1", { context_files_used: ["a", "b", "c"] })],
  "missing-artifact": [
    withStepFields(freshDoc(), "1", { artifacts: ["a.md"] }),
    { hasArtifact: () => false },
  ],
  "no-handoff": [freshDoc(), { handoff: () => null }],
  "stale-handoff": [
    freshDoc(),
    {
      handoff: () =>
        "# X — Handoff (Step 0 setup complete)\n\nUpdated: 2025-01-01T00:00:00Z | IaC: | Branch: b\n",
    },
  ],
  "no-claim": [withStepFields(freshDoc(), "1", { claim: undefined } as unknown as JsonObject)],
  "stale-claim": [
    {
      ...withStepFields(freshDoc(), "1", { claim: { ...held, heartbeat: null } }),
      lock: { ...held, heartbeat: null },
    },
  ],
  "lock-mismatch": [{ ...freshDoc(), lock: { ...held, acquired: fresh } }],
  "claim-store": [freshDoc(), { claims: new Map([["1", ofStore]]) }],
};

describe("each rule", () => {
  it.each(RULES.filter(({ id }) => id !== "unreadable" && id !== "not-json"))(
    "$id is found in its broken document and not in a sound one, with a command",
    ({ id, severity }) => {
      const [value, more] = BROKEN[id] ?? [];
      const { findings } = validateValue("f.json", value, around(more));
      const own = findings.filter(({ rule }) => rule === id);
      expect(own.length, JSON.stringify(findings)).toBeGreaterThan(0);
      for (const one of own) {
        expect(one.severity).toBe(severity);
        expect(one.command).toMatch(/^refloat (state|step|claim|decide) /);
        expect(one.command).not.toMatch(/[{}]/);
      }
      expect(VERSIONS.flatMap((version) => found(freshDoc(version)))).toEqual([OLD]);
    },
  );

  it.each(["", "{", "[1,2", '{"schema_version": "2.0', "nonsense"])("not-json is found in %j", (text) => {
    expect(validateText("f.json", text, around()).findings).toMatchObject([
      { rule: "not-json", severity: "error" },
    ]);
  });
});

describe("upstream's rules", () => {
  it.each([
    [{ open_findings: "none" }, "bad-value open_findings"],
    [{ current_step: 8 }, "bad-value current_step"],
    [{ lock: "mine" }, "bad-value lock"],
    [{ lock: { heartbeat: "soon" } }, "bad-value lock.heartbeat"],
    [{ lock: { attempt_token: "7" } }, "bad-value lock.attempt_token"],
    [{ stale_threshold_ms: 0 }, "bad-value stale_threshold_ms"],
    [{ decisions: [] }, "bad-value decisions"],
    [{ review_audit: [] }, "bad-value review_audit"],
    [{ review_audit: { step_1: { passes_planned: -1 } } }, "bad-value review_audit.step_1.passes_planned"],
    [{ review_audit: { step_1: { skipped: 0 } } }, "bad-value review_audit.step_1.skipped"],
    [{ decision_log: [{ nothing: 1 }] }, "bad-value decision_log.0"],
    [{ steps: {} }, "missing-field steps.1"],
  ])("%j is an error: %s", (fields, expected) => {
    expect(found({ ...freshDoc(), ...fields })).toContain(expected);
  });

  it.each([
    [{ name: "Other" }, "bad-value steps.1.name"],
    [{ status: "blocked" }, "bad-value steps.1.status"],
    [{ artifacts: null }, "bad-value steps.1.artifacts"],
    [{ claim: { retry_count: -1 } }, "bad-value steps.1.claim.retry_count"],
    [{ claim: { event_log: {} } }, "bad-value steps.1.claim.event_log"],
  ])("a step with %j is an error: %s", (fields, expected) => {
    expect(found(withStepFields(freshDoc(), "1", fields))).toContain(expected);
  });

  it("a decision that is not made yet is no damage, unless a config lists it: then every file needs it", () => {
    const doc = { ...freshDoc(), decisions: { region: "" } };
    expect(found(doc)).toEqual([]);
    const shape = { ...ORIGINAL_WORKFLOW, decisions: ["budget"], needsDecisions: true };
    expect(found(doc, { shape })).toEqual(["missing-field decisions.budget"]);
  });

  it("an entry of the handbook's shape needs no time, one with an id or of another shape does", () => {
    const entry = { step: 1, key: "a", value: "b", reason: "c" };
    const logged = (...log: Json[]): string[] => found({ ...freshDoc(), decision_log: log });
    expect(logged(entry)).toEqual([]);
    expect(logged({ ...entry, id: "D1" }, { decision: "x" })).toEqual([
      "decision-time decision_log.0",
      "decision-time decision_log.1",
    ]);
  });

  it("review_depth is judged in 3.0 only", () => {
    const decided = (version: "2.0" | "3.0"): JsonObject => {
      const doc = freshDoc(version);
      return { ...doc, decisions: { ...(doc.decisions as JsonObject), review_depth: "shallow" } };
    };
    expect(found(decided("3.0"))).toEqual(["bad-value decisions.review_depth"]);
    expect(found(decided("2.0"))).toEqual([]);
  });
});

describe("what is free", () => {
  it.each([null, {}, { owner_id: null, heartbeat: null, attempt_token: null, acquired: null }])(
    "lock %j has no finding, nor has a claim like it, nor one that was released",
    (lock) => {
      const doc = withStepFields({ ...freshDoc(), lock }, "1", { claim: lock });
      expect(found(doc)).toEqual([]);
      const released = {
        ...held,
        owner_id: null,
        heartbeat: null,
        attempt_token: null,
        retry_count: 2,
        event_log: [{ type: "release" }],
      };
      expect(found(withStepFields(doc, "2", { claim: released }))).toEqual([]);
    },
  );
});

describe("a heartbeat (K3)", () => {
  const at = (ms: number): string => new Date(NOW_MS - ms).toISOString();
  it.each([
    ["missing", null, true],
    ["fresh", at(299_999), false],
    ["exactly at the threshold", at(300_000), true],
    ["as far in the future", at(-300_000), true],
    ["a little in the future", at(-1000), false],
  ])(
    "that is %s is stale: the answer is the one of src/session/decide-claim.ts",
    (_name, heartbeat, isStale) => {
      const claim = { ...held, heartbeat };
      const doc = { ...withStepFields(freshDoc(), "1", { claim }), lock: { ...claim, acquired: fresh } };
      expect(found(doc).includes("stale-claim lock")).toBe(isStale);
    },
  );
});

describe("validating", () => {
  it("never throws, whatever the text or the value is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(Array.isArray(validateText("f", text, around()).findings)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLES),
        fc.nat(),
        fc.nat(),
        fc.string(),
        ({ text }, from, length, noise) => {
          const start = from % text.length;
          const broken = text.slice(0, start) + noise + text.slice(start + (length % 50));
          expect(Array.isArray(validateText("f", broken, around()).findings)).toBe(true);
        },
      ),
    );
    fc.assert(
      fc.property(mutated(), (value) => {
        expect(Array.isArray(validateValue("f", value, around()).findings)).toBe(true);
      }),
    );
  });

  it("says yes quickly exactly where the definition itself says yes", () => {
    const definition = definitionFor(ORIGINAL_WORKFLOW);
    const quick = VERSIONS.map(
      (version) => [version, quickCheck(jsonSchemaOf(ORIGINAL_WORKFLOW, version))] as const,
    );
    for (const { text } of SAMPLES) {
      const doc = JSON.parse(text) as JsonObject;
      for (const [version, check] of quick)
        expect(check(doc)).toBe(definition[version].safeParse(doc).success);
      expect(quick.some(([, check]) => check(doc))).toBe(true);
    }
    fc.assert(
      fc.property(mutated(), (doc) => {
        for (const [version, check] of quick)
          expect(check(doc), JSON.stringify(doc)).toBe(definition[version].safeParse(doc).success);
      }),
    );
  });
});

/** A sample with one value somewhere replaced, or one field taken away. */
function mutated(): fc.Arbitrary<Json> {
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom("complete", "3.0", -1, null, "", {}, []));
  return fc
    .tuple(
      fc.constantFrom(...SAMPLES),
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      values,
      fc.boolean(),
    )
    .map(([{ text }, picks, value, isRemoval]) => {
      const doc = JSON.parse(text) as Record<string, Json>;
      let inner: Record<string, Json> = doc;
      for (const [i, pick] of picks.entries()) {
        const keys = Object.keys(inner);
        const key = keys[pick % Math.max(1, keys.length)];
        if (key === undefined) break;
        const next = inner[key];
        if (i < picks.length - 1 && typeof next === "object" && next !== null) {
          inner = next as Record<string, Json>;
          continue;
        }
        if (isRemoval && !Array.isArray(inner)) delete inner[key];
        else inner[key] = value as Json;
        break;
      }
      return doc;
    });
}

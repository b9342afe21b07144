/**
 * What each route answers, as a schema with an example, by its path: fields may be added, those that are here stay (DESIGN 10). The data is that of
 * the command line's --json (docs/json.md); test/page/openapi.test.ts holds both to what is really answered. Pure.
 */
import { z } from "zod";
import { manifest, manifestChange, manifestGroup } from "../../model/manifest.ts";

export interface AnswerShape {
  readonly schema: z.ZodType;
  /** What is asked with: the query, or the body; the path's session is "shop". */
  readonly asked: Readonly<Record<string, unknown>>;
  /** Null: it is long, and its schema says all of it. */
  readonly example: Readonly<Record<string, unknown>> | null;
}

const named = <Shape extends z.core.$ZodLooseShape>(command: string, shape: Shape) =>
  z.looseObject({ schema: z.literal(`refloat.${command}/1`), ...shape });

const text = z.string().nullable();
const count = z.number().int().min(0);

const summary = z.looseObject({
  ...{ id: z.string(), name: text, agent: text, workspace: text, cause: text },
  state: z.enum(["live", "idle", "interrupted", "suspended", "finished"]),
  ...{ unsettled: z.boolean(), supervised: z.boolean(), started_at: text, ended_at: text },
  last_written_at: text,
  ...{ attempt: count, last_attempt: count, dirty_ends: count },
});
const SUMMARY = {
  ...{ id: "8t3kq0w2m5n7p9r1s4v6", name: "shop", agent: "claude", workspace: "/home/ann/shop" },
  ...{ state: "interrupted", unsettled: true, supervised: false, cause: "killed" },
  ...{ attempt: 1, last_attempt: 1, dirty_ends: 1 },
  ...{ started_at: "2026-11-15T09:00:00.000Z", ended_at: "2026-11-15T09:20:00.000Z" },
  last_written_at: "2026-11-15T09:20:00.000Z",
};

const record = z.looseObject({
  ...{ seq: z.number().int().min(1), kind: z.string(), attempt: count.nullable(), at: z.string() },
  state: z.enum(["whole", "forgotten", "damaged"]),
  ...{ body: z.looseObject({}), isRedacted: z.boolean() },
});

/** `id`: null until it is done. */
const plan = z.looseObject({
  ...{ id: text, session: text },
  acts: z.array(z.looseObject({ group: z.string(), act: z.string(), paths: z.array(z.string()) })),
});
const conflicts = z.array(z.looseObject({ path: z.string(), group: z.string(), why: text }));
const DIGEST = "00201d3fc74e987830812b414f94620e31a84efbd153d0397a5119d1b377bce9";
const GROUP = "ga3d16c5e1499";
const PLAN = {
  id: null,
  session: SUMMARY.id,
  acts: [{ group: GROUP, act: "park", paths: ["src/cart.mjs"] }],
};
const UNDO = { undo: "7ba1e75bnkntd3260fxx", undo_command: "refloat undo --plan 7ba1e75bnkntd3260fxx" };
const DONE = { ...{ plan: { ...PLAN, id: UNDO.undo }, conflicts: [], commit: null, done: true }, ...UNDO };

/** Without a digest the plan with one, with it the receipt. */
function shownFirst(command: string, asked: AnswerShape["asked"]): AnswerShape {
  const shape = { plan, conflicts, commit: text, done: z.boolean() };
  return {
    schema: named(command, {
      ...{ ...shape, digest: z.string().length(64).optional() },
      ...{ undo: text.optional(), undo_command: text.optional() },
    }),
    asked,
    example: {
      schema: `refloat.${command}/1`,
      plan: PLAN,
      conflicts: [],
      commit: null,
      done: false,
      digest: DIGEST,
    },
  };
}

const inspected = named("inspect", {
  ...manifest.shape,
  check: z.looseObject({ command: z.string(), state: z.enum(["run", "kept", "not-run"]) }).nullable(),
  can_commit: z.boolean(),
});

const SESSION = "/api/sessions/{session}";

export const ANSWER_SHAPES: Readonly<Record<string, AnswerShape>> = {
  "/api/home": {
    schema: named("status", {
      ...{ workspace: text, worktrees: z.array(z.string()), place: z.string(), version: z.string() },
      counts: z.record(z.string(), count),
      ...{ sessions: z.array(summary), sessions_in_all: count },
      groups: z.array(manifestGroup.extend({ session: z.string() })),
      not_judged: z.array(z.looseObject({ session: z.string(), why: z.string() })),
      tree: z.looseObject({ changed: count, staged: count, parked: z.array(z.string()) }).nullable(),
      cut_off: z.looseObject({}).nullable(),
      ...{ next: z.array(z.string()), may_act: z.boolean(), why_not: text },
    }),
    asked: { scope: "repository" },
    example: {
      ...{ schema: "refloat.status/1", workspace: "/home/ann/shop", worktrees: ["/home/ann/shop"] },
      ...{ place: "/home/ann/shop", version: "0.1.0", sessions: [SUMMARY], sessions_in_all: 1 },
      counts: { live: 0, interrupted: 1, suspended: 0, unsettled: 1, finished: 0, idle: 0 },
      ...{ groups: [], not_judged: [], tree: { changed: 2, staged: 0, parked: [] }, cut_off: null },
      ...{ next: ["refloat inspect 8t3kq0w2"], may_act: true, why_not: null },
    },
  },
  "/api/sessions": {
    schema: named("sessions", { sessions: z.array(summary), found: count, in_all: count }),
    asked: { state: "unsettled", limit: 100 },
    example: { schema: "refloat.sessions/1", sessions: [SUMMARY], found: 1, in_all: 12 },
  },
  [SESSION]: {
    schema: named("show", {
      ...{
        session: summary.extend({ goal: text }),
        claim: z.looseObject({ attempt: count, held: z.boolean() }),
      },
      attempts: z.array(z.looseObject({ attempt: count, at: z.string() })),
      turns: z.array(z.looseObject({ id: z.string(), seq: count, outcome: text })),
      calls: z.array(z.looseObject({ id: z.string(), seq: count, tool: z.string(), status: z.string() })),
      ...{ operations: z.array(z.looseObject({})), decisions: z.array(z.looseObject({})) },
      ...{
        notes: z.array(z.looseObject({})),
        captures: z.array(z.looseObject({ seq: count, at: z.string() })),
      },
      ...{ from_seq: count, left_out: z.boolean(), goes_on: z.boolean(), redacted: count, head: count },
    }),
    asked: {},
    example: {
      ...{ schema: "refloat.show/1", session: { ...SUMMARY, goal: "Add the checkout" } },
      ...{ claim: { attempt: 1, held: false }, attempts: [{ attempt: 1, at: SUMMARY.started_at }] },
      turns: [{ id: "tqhnx94w9afsr5jg0y3v", seq: 4, outcome: "interrupted" }],
      calls: [{ id: "rdpb98c7j81w11b4chat", seq: 6, tool: "edit", status: "done" }],
      ...{ operations: [], decisions: [], notes: [], captures: [{ seq: 3, at: SUMMARY.started_at }] },
      ...{ from_seq: 1, left_out: false, goes_on: true, redacted: 0, head: 13 },
    },
  },
  [`${SESSION}/records`]: {
    schema: named("records", { session: z.string(), head: count, records: z.array(record) }),
    asked: { from: 1, limit: 100 },
    example: {
      ...{ schema: "refloat.records/1", session: SUMMARY.id, head: 13 },
      records: [
        {
          ...{ seq: 4, kind: "turn.began", attempt: 1, at: SUMMARY.started_at, state: "whole" },
          ...{ body: { turn: "tqhnx94w9afsr5jg0y3v", input: null }, isRedacted: false },
        },
      ],
    },
  },
  [`${SESSION}/salvage`]: { schema: inspected, asked: {}, example: null },
  [`${SESSION}/diff`]: {
    schema: named("diff", {
      group: z.string(),
      files: z.array(
        manifestChange
          .pick({ path: true, kind: true, from: true, to: true })
          .extend({ unified: text, why: text, redacted: count }),
      ),
      left_out: count,
    }),
    asked: { group: GROUP },
    example: {
      ...{ schema: "refloat.diff/1", group: GROUP, left_out: 0 },
      files: [
        {
          ...{ path: "f.txt", kind: "added", from: null, to: null, why: null, redacted: 0 },
          unified: "diff --git a/f.txt b/f.txt\n--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+one\n",
        },
      ],
    },
  },
  [`${SESSION}/handoff`]: {
    schema: named("handoff", {
      ...{ session: z.looseObject({ id: z.string() }), budget: count, tokens: count, markdown: z.string() },
      ...{ left_out: z.array(z.unknown()), bounds: z.looseObject({ least: count, most: count }) },
    }),
    asked: { budget: 2000 },
    example: {
      ...{
        schema: "refloat.handoff/1",
        session: { id: SUMMARY.id },
        budget: 2000,
        tokens: 185,
        left_out: [],
      },
      ...{ markdown: "# Handoff: session `8t3kq0w2`\n", bounds: { least: 200, most: 200_000 } },
    },
  },
  "/api/parked": {
    schema: named("parked", {
      workspace: z.string(),
      parked: z.array(z.looseObject({ name: z.string(), plan: z.string(), at: z.string() })),
    }),
    asked: {},
    example: {
      ...{ schema: "refloat.parked/1", workspace: "/home/ann/shop" },
      parked: [{ name: GROUP, plan: UNDO.undo, at: SUMMARY.ended_at }],
    },
  },
  "/api/sessions/{session}/rate": {
    schema: named("rate", {
      rate: z
        .looseObject({ from: z.string(), to: z.string(), chars: z.array(count), left_out: z.boolean() })
        .nullable(),
    }),
    asked: {},
    example: {
      schema: "refloat.rate/1",
      rate: { from: SUMMARY.started_at, to: SUMMARY.ended_at, chars: [420, 0, 1305, 77], left_out: false },
    },
  },
  "/api/worktrees": {
    schema: named("worktrees", {
      worktrees: z.array(
        z.looseObject({
          ...{ path: z.string(), verdict: z.enum(["removable", "keep"]), reasons: z.array(z.string()) },
        }),
      ),
      place: z.string(),
    }),
    asked: {},
    example: {
      ...{ schema: "refloat.worktrees/1", place: "/home/ann/shop" },
      worktrees: [{ path: "/home/ann/shop", verdict: "keep", reasons: ["it is the main work tree"] }],
    },
  },
  "/api/doctor": {
    schema: named("doctor", {
      findings: z.array(
        z.looseObject({ check: z.string(), severity: z.string(), message: z.string(), command: z.string() }),
      ),
    }),
    asked: {},
    example: { schema: "refloat.doctor/1", findings: [] },
  },
  "/api/storage": {
    schema: named("store-info", {
      ...{ kind: z.enum(["sqlite", "postgres"]), location: z.string(), engine: z.string() },
      ...{
        sessions: count,
        records: count,
        contents: count,
        content_bytes: count,
        bytes: count,
        cap_bytes: count,
      },
    }),
    asked: {},
    example: {
      ...{
        schema: "refloat.store-info/1",
        kind: "sqlite",
        location: "/home/ann/.local/state/refloat/refloat.db",
      },
      ...{ engine: "node:sqlite", sessions: 12, records: 4100, contents: 90, content_bytes: 400_000 },
      ...{ bytes: 2_100_000, cap_bytes: 21_474_836_480 },
    },
  },
  [`${SESSION}/plan`]: {
    schema: named("settle", {
      ...{ plan, conflicts, message: text, leftovers: z.array(z.looseObject({})) },
      ...{ done: z.literal(false), digest: z.string().length(64) },
    }),
    asked: { choices: { [GROUP]: "park" } },
    example: {
      ...{ schema: "refloat.settle/1", plan: PLAN, conflicts: [], message: null, leftovers: [] },
      ...{ done: false, digest: DIGEST },
    },
  },
  [`${SESSION}/apply`]: {
    schema: named("settle", {
      ...{ plan, conflicts, done: z.boolean(), commit: text, undo: text, undo_command: text },
    }),
    asked: { choices: { [GROUP]: "park" }, digest: DIGEST },
    example: { schema: "refloat.settle/1", ...DONE },
  },
  [`${SESSION}/verify`]: { schema: inspected, asked: {}, example: null },
  [`${SESSION}/undo`]: shownFirst("undo", { plan: UNDO.undo }),
  [`${SESSION}/redo`]: shownFirst("redo", {}),
  "/api/undo": shownFirst("undo", {}),
  "/api/redo": shownFirst("redo", {}),
  "/api/unpark": shownFirst("unpark", { name: GROUP }),
  "/api/worktrees/remove": shownFirst("worktrees-remove", { paths: ["/home/ann/shop-checkout"] }),
};

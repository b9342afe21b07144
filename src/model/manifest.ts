/**
 * The manifest: what a session left, computed by the survivor (S1). Names and meanings are DESIGN 10's contract: fields
 * may be added, never changed. On the way out it is redacted (T4) and bounded (T5).
 */
import { z } from "zod";
import { beforeImage } from "./agent-kinds.ts";
import { changeKind, pathKind } from "./path-state.ts";

export const verdict = z.enum(["safe", "risky", "unknown"]);
export type Verdict = z.infer<typeof verdict>;

const callStatus = z.enum([
  "requested",
  "running",
  "done",
  "failed",
  "cancelled",
  "interrupted",
  "unknown-outcome",
]);

const manifestState = z
  .looseObject({
    kind: pathKind,
    mode: z.number().int(),
    size: z.number().int(),
    hash: z.string().nullable(),
    target: z.string().optional(),
    /** Where a renamed file was. */
    path: z.string().optional(),
    path_b64: z.string().optional(),
  })
  .nullable();

export const manifestChange = z.looseObject({
  path: z.string(),
  path_b64: z.string().optional(),
  kind: changeKind,
  from: manifestState,
  to: manifestState,
  owner: z.enum(["before", "session", "other", "after", "unknown"]),
  owner_session: z.string().optional(),
  owner_evidence: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
  /** What lies below a path that is, or was, a directory on one side only; the first of it. */
  members: z
    .array(z.looseObject({ path: z.string(), path_b64: z.string().optional(), kind: changeKind }))
    .optional(),
  members_left_out: z.number().int().optional(),
  /** The index has something else there than HEAD. */
  staged: z.literal(true).optional(),
});
export type ManifestChange = z.infer<typeof manifestChange>;

export const manifestReason = z.looseObject({
  rule: z.string(),
  message: z.string(),
  evidence: z.array(z.string()),
  /** What a person can do about it. */
  remedy: z.string().optional(),
});
export type ManifestReason = z.infer<typeof manifestReason>;

export const manifestGroup = z.looseObject({
  id: z.string(),
  verdict,
  reasons: z.array(manifestReason),
  changes: z.array(manifestChange),
  /** Changes of this group that are not listed one by one. */
  left_out: z.number().int().optional(),
});
export type ManifestGroup = z.infer<typeof manifestGroup>;

export const manifest = z.looseObject({
  session: z.looseObject({
    id: z.string(),
    agent: z.string().nullable(),
    state: z.enum(["live", "idle", "interrupted", "suspended", "finished"]),
    unsettled: z.boolean(),
    cause: z.string().nullable(),
    attempt: z.number().int(),
    /** The try it tells of: the one before where the newest only recovered the session. */
    last_attempt: z.number().int(),
    dirty_ends: z.number().int(),
    /** Why it is suspended; left out: it is not. */
    suspended_for: z.string().optional(),
    /** Where its workspace was when it worked there; left out: where it is. */
    moved_from: z.string().optional(),
    /** Made up by us from git and times: nobody ever began it. Its groups are acted on only when named or adopted. */
    implied: z.boolean().optional(),
  }),
  goal: z.string().nullable(),
  /** The agent's own list of what is to be done, as it last told it; left out: it keeps none. */
  plan: z.array(z.looseObject({ text: z.string(), state: z.enum(["open", "doing", "done"]) })).optional(),
  /** The last whole lines the agent said, at most 4 KiB. */
  last_output: z.string().nullable(),
  turn: z
    .looseObject({
      id: z.string(),
      outcome: z.string().nullable(),
      started_at: z.string(),
      /** No end of it is on record: its last words read like one. */
      inferred: z.literal(true).optional(),
    })
    .nullable(),
  calls: z.array(
    z.looseObject({
      id: z.string(),
      tool: z.string(),
      input: z.unknown(),
      status: callStatus,
      effect: z.enum(["none", "idempotent", "unknown"]),
      /** How to find out whether it happened; null: nothing to find out. */
      check: z.string().nullable(),
      /** What a hook held of the tree before it ran; left out: none was asked to. */
      before: beforeImage.optional(),
    }),
  ),
  operations: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      state: z.enum(["open", "ended", "aborted"]),
      /** None: it names none, and everything changed while it was open is in it. */
      paths: z.array(z.string()),
      /** How far it got; only of one that did not end. */
      so_far: z
        .looseObject({
          /** Changes in it. */
          changed: z.number().int(),
          /** Nobody saw when they came: they may be of it. */
          uncertain: z.boolean(),
          /** Files it named that did not change. */
          untouched: z.array(z.string()),
          /** Labels of operations that were begun after it and ended. */
          ended_inside: z.array(z.string()),
          /** The last line its author added below its BEGIN. */
          note: z.string().nullable(),
        })
        .optional(),
    }),
  ),
  decisions: z.array(z.looseObject({ key: z.string(), value: z.unknown(), reason: z.string().nullable() })),
  base: z.looseObject({
    head: z.string().nullable(),
    branch: z.string().nullable(),
    /** The commits the session began at and was last seen at; left out: no capture of it tells. */
    began_at: z.string().nullable().optional(),
    worked_on: z.string().nullable().optional(),
  }),
  /** There only where the session's work is not in this tree: it was judged from what its last capture holds (W8). */
  held: z
    .looseObject({
      capture: z.string(),
      at: z.string(),
      /** Where it was done. */
      path: z.string(),
      /** The last commit of it that is here: the work is told against that one. */
      base: z.string().nullable(),
      /** Commits it was at later that this clone does not have; what was in them is among the changes. */
      missing_commits: z.array(z.string()),
    })
    .optional(),
  groups: z.array(manifestGroup),
  leftovers: z.array(
    z.looseObject({
      ...{ pid: z.number().int(), command: z.string(), started_at: z.string().nullable() },
      /** Why refloat leaves it running; null: nothing keeps it. */
      kept: z.string().nullable().optional(),
      /** What a person can type about one that is kept. */
      remedy: z.string().nullable().optional(),
    }),
  ),
  /** Paths that may differ and were not looked into: nothing is said of them (W4). */
  gaps: z.array(z.looseObject({ path: z.string(), path_b64: z.string().optional(), why: z.string() })),
  /** Something still writes: two readings of the tree differed, or a leftover lives. */
  moving: z.boolean(),
  captures: z.array(
    z.looseObject({ id: z.string(), at: z.string(), reason: z.string(), partial: z.boolean() }),
  ),
  /** What the agent said of its work and the workspace denies (T2). */
  claims_contradicted: z.array(
    z.looseObject({
      claim: z.enum(["committed", "tests-pass", "done"]),
      said: z.string(),
      evidence: z.string(),
    }),
  ),
  /** The commands to type now, the one that helps most first. */
  next: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifest>;

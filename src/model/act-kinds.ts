/**
 * The kinds of record an act adds. They lie in a journal of the workspace's own (src/acts/plans/acts-session.ts), whose
 * claim is held while anything is changed: one executor at a time (K1), taken over only from a dead one (K4).
 */
import { z } from "zod";
import { plan, planAdvanced, planEnded, planKept } from "./plan.ts";

/** The kinds of record settling adds: what was left on purpose, and the user's own verdicts. */
const seen = z.looseObject({ path: z.string(), path_b64: z.string().optional(), state: z.string() });

export const SETTLE_KINDS = {
  /** A group somebody named and left: settled as long as its paths stay in these states (DESIGN 15). */
  "group.left": {
    by: "anyone",
    body: z.looseObject({ group: z.string(), by: z.string(), paths: z.array(seen) }),
    shape: ["group", "by"],
  },
  /** The user's verdict, remembered per path and content. It lies in the workspace's own journal: no session's (T2). */
  "verdict.given": {
    by: "anyone",
    body: z.looseObject({
      group: z.string(),
      verdict: z.enum(["safe", "risky", "unknown"]),
      reason: z.string(),
      by: z.string(),
      paths: z.array(seen),
    }),
    shape: ["group", "verdict", "by"],
  },
  /** A work tree is about to be removed: where it was, and what git keeps of it, before anything goes. */
  "worktree.removing": {
    by: "anyone",
    body: z.looseObject({
      removal: z.string(),
      /** The removal it was ordered with: `undo` takes back all of one order. Left out: it stands alone. */
      plan: z.string().optional(),
      path: z.string(),
      branch: z.string().nullable(),
      head: z.string().nullable(),
      files: z.number().int(),
      /** Files of git's own folder of it, by content. */
      kept: z.array(z.looseObject({ name: z.string(), hash: z.string() })),
    }),
    shape: ["removal", "path", "branch", "head", "files"],
  },
  /** `resume --recreate` is about to bring a removed work tree back, with what this capture of the session holds. */
  "worktree.recreating": {
    by: "anyone",
    body: z.looseObject({
      removal: z.string(),
      session: z.string(),
      path: z.string(),
      common_dir: z.string(),
      branch: z.string().nullable(),
      head: z.string(),
      capture: z.string(),
    }),
    shape: ["removal", "session", "path", "branch", "head", "capture"],
  },
  "worktree.recreated": {
    by: "anyone",
    /** `given_up`: HEAD had moved on before the captured files came. */
    body: z.looseObject({ removal: z.string(), given_up: z.boolean().optional() }),
    shape: ["removal"],
  },
} as const;

export const ACT_KINDS = {
  /** Durable before the first change (S5). Open until it is settled. */
  "plan.made": {
    by: "owner",
    body: plan,
    opens: ["plan", "plan"],
    shape: ["plan", "act", "session", "capture", "undoes", "redoes"],
  },
  "plan.advanced": {
    by: "owner",
    body: planAdvanced,
    needs: ["plan", "plan"],
    shape: ["plan", "step", "back"],
  },
  "plan.kept": { by: "owner", body: planKept, needs: ["plan", "plan"], shape: ["plan"] },
  /** The plan is done, or everything of it was put back; both are on disk. */
  "plan.settled": {
    by: "owner",
    body: planEnded,
    closes: ["plan", "plan"],
    shape: ["plan", "outcome", "late", "back"],
  },
} as const;

/** What a capture says (DESIGN 6, W4): HEAD, the index, every path it holds, and every path it names but does not hold. */
import { z } from "zod";
import { heldPath, insidePath, presentState } from "./path-state.ts";

export const captureReason = z.enum([
  "manual",
  "timer",
  "turn-begin",
  "call-end",
  "operation-begin",
  "operation-end",
  "turn-end",
  "begin",
  "end",
  "safety",
]);
export type CaptureReason = z.infer<typeof captureReason>;

/** `status`: everything git calls different; `paths`: only what was asked for; `folder`: a folder without git. */
export const captureHow = z.enum(["status", "paths", "folder"]);
export type CaptureHow = z.infer<typeof captureHow>;

export const gapReason = z.enum([
  "moving",
  "unreadable",
  "too-large",
  "special",
  "nested-repository",
  "submodule",
  "over-budget",
  /** The file system does not tell it from another name that differs in upper and lower case only. */
  "case-only",
  /** The store is at its cap: the hash is known, the bytes are not held (T5). */
  "not-held",
]);
export type GapReason = z.infer<typeof gapReason>;

const gitObject = z.looseObject({ mode: z.number().int(), id: z.string() });

export const captureEntry = z.looseObject({
  ...heldPath,
  state: presentState.nullable(),
  /** What HEAD has there; null: nothing. Absent: not looked at (a capture of known paths). */
  head: gitObject.nullable().optional(),
  /** What the index has there, by stage. Absent: not looked at. */
  staged: z.array(gitObject.extend({ stage: z.number().int() })).optional(),
  /** untracked, unmerged, skip-worktree, assume-unchanged, ignored, hard-links, raw-filter:NAME. */
  flags: z.array(z.string()),
});
export type CaptureEntry = z.infer<typeof captureEntry>;

const captureGap = z.looseObject({ ...insidePath, reason: gapReason, detail: z.string() });

const captureHead = z.looseObject({
  id: z.string().nullable(),
  branch: z.string().nullable(),
  detached: z.boolean(),
  unborn: z.boolean(),
});

/** What is held of the repository itself, where it was about to go with its tree: commits as a bundle, and git's own files. */
const heldRepository = z.looseObject({
  /** Null: no commit would go. */
  bundle: z.string().nullable(),
  tips: z.array(z.looseObject({ ref: z.string(), id: z.string() })),
  /** Commits the bundle stands on and does not have. */
  bases: z.array(z.string()),
  files: z.array(z.looseObject({ name: z.string(), mode: z.number().int(), hash: z.string() })),
  left_out: z.array(z.string()),
});
export type HeldRepository = z.infer<typeof heldRepository>;

/** The commits of HEAD that no remote is known to have, kept where the store outlives the machine (W8). */
const keptCommits = z.looseObject({
  head: z.string(),
  /** What was kept up to before: the bundle begins behind it. Null: nothing was. */
  after: z.string().nullable(),
  /** Null: there was nothing to keep, or it is left out. */
  bundle: z.string().nullable(),
  /** Commits the bundle stands on and does not have. */
  bases: z.array(z.string()),
  commits: z.number().int(),
  bytes: z.number().int(),
  /** With all that the session kept before. */
  all: z.looseObject({ commits: z.number().int(), bytes: z.number().int() }),
  /** Why they are not kept; null: they are. */
  left_out: z.string().nullable(),
});
export type KeptCommits = z.infer<typeof keptCommits>;

const movedSide = gitObject.extend({ hash: z.string().nullable() }).nullable();

export const capture = z.looseObject({
  capture: z.string(),
  reason: captureReason,
  note: z.string().nullable(),
  /** The command that was about to take something away, where a hook held the tree first: it is put back whole. */
  before: z.string().optional(),
  /**
   * It was held outside the store and taken in later: what it holds is as it was before that command, but where it stands in the journal says
   * nothing of when (D3). It is there to be put back, and proves no change between two others.
   */
  held_outside: z.boolean().optional(),
  /** Operations whose author said that they are done and waited for this capture: it holds what they left, and nothing newer. */
  ended: z.array(z.string()).optional(),
  how: captureHow,
  workspace: z.looseObject({
    path: z.string(),
    common_dir: z.string().nullable(),
    /** Device, inode and birth of the common directory: another one is another clone. */
    clone: z.string().nullable(),
    root_commit: z.string().nullable(),
    /** Which tree it is: another one is another tree, at the same path too (W8). Absent in older records. */
    tree: z.string().optional(),
    /** The machine it was on. Absent in older records. */
    host: z.string().optional(),
  }),
  /** Null: a folder without git. */
  head: captureHead.nullable(),
  index: z
    .looseObject({ inode: z.string(), size: z.number(), mtime_ns: z.string(), trailer: z.string() })
    .nullable(),
  /** merge, rebase, cherry-pick, revert, bisect, am, sequence. */
  in_progress: z.array(z.string()),
  /** Folders a capture of known paths looked through whole. */
  scopes: z.array(z.looseObject(insidePath)),
  entries: z.array(captureEntry),
  gaps: z.array(captureGap),
  partial: z.boolean(),
  /** Bounds that were reached, and how many paths they left out without naming each. */
  limits: z.array(z.looseObject({ limit: z.string(), value: z.number(), left_out: z.number().int() })),
  /** Tracked paths git was told not to look at; those that are there are among the entries. */
  hidden: z.number().int(),
  /** Both sides of what changed with HEAD since the last capture; null: HEAD is where it was. */
  moved: z
    .looseObject({
      from: z.string(),
      to: z.string().nullable(),
      /** False: the old commit could not be read any more. */
      is_known: z.boolean(),
      paths: z.array(z.looseObject({ ...heldPath, from: movedSide, to: movedSide })),
    })
    .nullable(),
  repository: heldRepository.optional(),
  /** Absent: HEAD is where the last ones were kept, or the store goes with the machine. */
  commits: keptCommits.optional(),
  /** The other sessions of the workspace: how far their journals were before and after the reading. */
  others: z.array(z.looseObject({ session: z.string(), before: z.number().int(), after: z.number().int() })),
});
export type Capture = z.infer<typeof capture>;

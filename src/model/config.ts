/**
 * `refloat.json` at the top of a workspace, as committed, and the user's own `config.json` (DESIGN 10): the same keys in
 * both. A key nobody knows is kept (D5), so that a newer refloat's config is no error here; a key of ours must fit.
 */
import { z } from "zod";

const globs = z.array(z.string().min(1));

/** What a user's own rule may say about paths: never that they are safe (S3). */
export const pathRule = z.strictObject({
  /** Globs; without a slash a glob means the name wherever it lies, as in .gitignore. */
  paths: globs.min(1),
  /** Slugs of risky rules that say nothing about these paths. */
  off: z.array(z.string()).optional(),
  /** What a group with such a path is at best. */
  verdict: z.enum(["risky", "unknown"]).optional(),
  reason: z.string().optional(),
});
export type PathRule = z.infer<typeof pathRule>;

/** As commands name a step: 3, "3.5", "3_5". */
const STEP_ID = /^\d{1,3}(?:[._]\d{1,3})?$/;

export const workflowConfig = z.looseObject({
  steps: z
    .array(
      z.looseObject({
        id: z.union([z.string().regex(STEP_ID), z.number().nonnegative()]),
        name: z.string().min(1),
        agent: z.string().optional(),
        optional: z.boolean().optional(),
        sub_steps: z.array(z.string()).optional(),
        budget: z.number().int().positive().optional(),
        makes: z.array(z.string()).optional(),
      }),
    )
    .min(1)
    .optional(),
  decisions: z.array(z.string()).optional(),
  handoff_tokens: z.number().int().positive().optional(),
});

export type WorkflowConfig = z.infer<typeof workflowConfig>;

const positive = z.number().int().positive();

/** Blanks and comments only: a shell says 0 to it whatever the tree is, so it is no check (T1). */
export const isEmptyCheck = (text: string): boolean =>
  text.split("\n").every((line) => /^\s*(?:#|\\?$)/.test(line));

const check = z
  .string()
  .min(1)
  .refine((text) => !isEmptyCheck(text), "the check is empty");

export const refloatConfig = z.looseObject({
  /** The command that says whether a tree is good; run only after the user trusted its very text. */
  verify: check.optional().meta({ description: "The check that says whether a tree is good." }),
  precious: globs.optional().meta({ description: "Ignored files that captures hold all the same." }),
  journal: globs.optional().meta({ description: "Prose and data that only grows at its end." }),
  records: globs.optional().meta({ description: "Prose and data that is rewritten in place." }),
  config: globs.optional().meta({ description: "Build, CI, hook and editor-agent configuration." }),
  rules: z.array(pathRule).optional().meta({ description: "Your own rules about paths; none can say safe." }),
  limits: z
    .looseObject({
      file_bytes: positive.optional(),
      total_bytes: positive.optional(),
      paths: positive.optional(),
      budget_ms: positive.optional(),
      /** Of transcripts kept in the store, in your own config only: how long, and how much of them, compressed. */
      transcript_days: positive.optional(),
      transcript_bytes: positive.optional(),
    })
    .optional()
    .meta({
      description: "Bounds of one capture, and of the transcripts that are kept (in your own config only).",
    }),
  policy: z
    .enum(["default", "revert-or-commit", "park-all", "leave"])
    .optional()
    .meta({ description: "How `settle` and `loop` settle what a session left." }),
  commit: z
    .looseObject({
      /** A trailer to add to commits; none unless asked. `true`: the session's; a text: that line, with {session} and {agent}. */
      trailer: z.union([z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*: [^\p{Cc}]+$/u), z.boolean()]).optional(),
      /** `operation-end`: safe work is committed by the supervisor as each operation ends. Else only when you say so. */
      at: z.enum(["operation-end", "never"]).optional(),
    })
    .optional()
    .meta({ description: "How commits are made." }),
  workflow: workflowConfig.optional().meta({ description: "The steps of the workflow state file." }),
  handoff: z
    .looseObject({ budget: positive.optional() })
    .optional()
    .meta({ description: "The brief for the next session: its budget in tokens." }),
  notify: z.string().min(1).optional().meta({ description: "A command that is told when a session ends." }),
  ignore: z.union([z.boolean(), globs]).optional().meta({
    description:
      "Paths that judging leaves out. `true`: nothing of this repository is recorded, captured or heard; in your own config also by the repository's absolute path.",
  }),
});
export type RefloatConfig = z.infer<typeof refloatConfig>;

/** The paths that judging leaves out. */
export const ignoredGlobs = ({ ignore }: RefloatConfig): readonly string[] =>
  Array.isArray(ignore) ? ignore : [];

export const CONFIG_FILE = "refloat.json";

/** The user's own word, in journals of refloat's own: what he trusts, and the state of a workflow. */
import { z } from "zod";

const id = z.string();

export const WORD_KINDS = {
  /** The user's trust in what a repository would run, bound to its exact text; `trusted: false` takes it back. */
  "trust.given": {
    by: "owner",
    body: z.looseObject({
      repository: z.string(),
      digest: z.string(),
      trusted: z.boolean(),
      /** The check itself, where the user typed it: it is his check of this repository from then on (S7). */
      check: z.string().optional(),
    }),
    shape: ["repository", "digest", "trusted"],
  },
  /** A version of a workflow's state file and of its companion: durable here before either is written (T1). */
  "state.changed": {
    by: "owner",
    body: z.looseObject({
      what: z.string(),
      step: z.string().nullable(),
      /** SHA-256 of the text it replaces; null: there was none. */
      before: z.string().nullable(),
      file: z.string(),
      handoff: z.string(),
      /** The claim on the step that goes back with it. */
      release: z.number().int().nullable(),
    }),
    shape: ["what", "step", "before", "release"],
  },
  /** Both files are on disk as that version says, or it was given up because somebody had edited the file meanwhile. */
  "state.settled": {
    by: "owner",
    body: z.looseObject({ change: id, outcome: z.enum(["written", "given-up"]) }),
    shape: ["change", "outcome"],
  },
} as const;

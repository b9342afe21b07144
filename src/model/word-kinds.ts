/** The user's own word, in journals of refloat's own: what he trusts, and the state of a workflow. */
import { z } from "zod";

const id = z.string();
const texts = z.array(z.string());

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
  /**
   * What was said about a state file where neither it nor the store could be written (a sandbox), by the call of an agent's that its hooks
   * told of. It changes and claims nothing: whoever may write the file carries it out, or refuses it.
   */
  "state.said": {
    by: "anyone",
    body: z.looseObject({
      order: z.discriminatedUnion("kind", [
        z.looseObject({
          kind: z.literal("step"),
          does: z.enum(["start", "sub", "done", "skip", "reset"]),
          step: z.string(),
          /** Of `sub`: the part that is finished. */
          part: z.string().nullable(),
          reason: z.string().nullable(),
          token: z.string().nullable(),
          artifacts: texts,
          context: texts,
          findings: texts,
          resolved: texts,
        }),
        z.looseObject({
          kind: z.literal("decided"),
          key: z.string(),
          value: z.string(),
          reason: z.string().nullable(),
          step: z.string().nullable(),
        }),
      ]),
      /** K5: a name that was said, or the session's whose mark the call was made under; null: neither. */
      owner: z.string().nullable(),
      attempt_of: z.looseObject({ session: id, attempt: z.number().int() }).nullable(),
      /** The session whose call it was. */
      session: id,
    }),
    shape: ["owner", "session"],
  },
  /** What became of it; done: in the transaction of the version that it made. */
  "state.answered": {
    by: "owner",
    body: z.looseObject({
      said: id,
      outcome: z.enum(["done", "refused"]),
      /** Null: it was done. */
      why: z.string().nullable(),
    }),
    shape: ["said", "outcome"],
  },
} as const;

/** The kinds of record that committing as the session goes adds (docs/run.md): what was committed, and why something was not. */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const AS_IT_GOES_KINDS = {
  /** What ended operations left was judged safe and is a commit now, while the session lives. */
  "operations.committed": spec({
    by: "anyone",
    body: z.looseObject({
      commit: z.string(),
      plan: z.string(),
      /** Labels of the operations that had ended. */
      operations: z.array(z.string()),
      groups: z.array(z.string()),
      paths: z.number().int(),
    }),
    shape: ["commit", "plan", "paths"],
  }),
  /** It could not be looked at or committed; said once for each cause. What is not safe needs no record: it is left for the end. */
  "operations.not-committed": spec({
    by: "anyone",
    body: z.looseObject({ code: z.string().nullable(), message: z.string() }),
    shape: ["code"],
  }),
} as const;

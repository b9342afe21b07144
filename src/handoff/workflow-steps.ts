/** The steps and decisions of the workflow state file of a workspace, where it has exactly one that can be read. */
import { RefloatError } from "../model/errors.ts";
import { isJsonObject } from "../model/json.ts";
import { decisionsIn } from "../workflow/decision-log.ts";
import { createShapeReader } from "../workflow/read-config.ts";
import { own, stepsIn, textOf } from "../workflow/state-doc.ts";
import { readStateFile } from "../workflow/state-files-on-disk.ts";
import { findStateFiles } from "../workflow/state-paths.ts";
import { parseState } from "../workflow/validate.ts";
import type { BriefDecision, BriefStep } from "./brief-facts.ts";

export interface WorkflowFacts {
  readonly steps: readonly BriefStep[];
  readonly decisions: readonly BriefDecision[];
}

const NONE: WorkflowFacts = { steps: [], decisions: [] };

/** A damaged state file is `state validate`'s and `doctor`'s to tell; a brief goes without it. */
export function workflowFacts(folder: string): WorkflowFacts {
  const [file, ...others] = findStateFiles(folder);
  if (file === undefined || others.length > 0) return NONE;
  try {
    const text = readStateFile(file);
    const parsed = text === null ? null : parseState(text);
    if (parsed?.kind !== "parsed" || !isJsonObject(parsed.value)) return NONE;
    const doc = parsed.value;
    return {
      steps: stepsIn(doc, createShapeReader()(file))
        .filter(({ isThere }) => isThere)
        .map(({ spec, status, body }) => ({
          id: spec.id,
          name: spec.name,
          status: status ?? "unknown",
          sub_step: textOf(own(body, "sub_step")),
        })),
      decisions: decisionsIn(doc).flatMap((one) =>
        one ? [{ key: one.key, value: one.value, reason: one.reason, step: one.step }] : [],
      ),
    };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return NONE;
    throw thrown;
  }
}

/** Real state files and what lies around them, for tests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/model/json.ts";
import type { Version } from "../../src/workflow/definition.ts";
import type { SubjectSurroundings } from "../../src/workflow/rule.ts";
import { objectOf, own } from "../../src/workflow/state-doc.ts";
import { ORIGINAL_WORKFLOW } from "../../src/workflow/step-list.ts";
import { templateOf } from "../../src/workflow/template.ts";

const FOLDER = join(import.meta.dirname, "../samples/session-state");

export const NOW_MS = Date.parse("2026-06-01T12:00:00Z");

export interface Sample {
  readonly name: string;
  readonly text: string;
  readonly handoff: string | null;
}

export const SAMPLES: readonly Sample[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => {
    const companion = name.replace("00-session-state.json", "00-handoff.md");
    const hasOne = companion !== name && readdirSync(FOLDER).includes(companion);
    return {
      name,
      text: readFileSync(join(FOLDER, name), "utf8"),
      handoff: hasOne ? readFileSync(join(FOLDER, companion), "utf8") : null,
    };
  });

export const sample = (beginning: string): Sample => {
  const found = SAMPLES.find(({ name }) => name.startsWith(beginning));
  if (!found) throw new Error(`no sample ${beginning}`);
  return found;
};

/** Every artifact is there, a companion that says nothing, no store: what is found is in the document itself. */
export const around = (more: Partial<SubjectSurroundings> = {}): SubjectSurroundings => ({
  nowMs: NOW_MS,
  shape: ORIGINAL_WORKFLOW,
  handoff: () => "# demo\n",
  hasArtifact: () => true,
  claims: null,
  ...more,
});

export const freshDoc = (version: Version = "2.0"): JsonObject =>
  templateOf(ORIGINAL_WORKFLOW, version, {
    project: "demo",
    branch: "main",
    region: "swedencentral",
    updated: "2026-06-01T11:00:00Z",
  });

/** A copy of the document with a step's fields changed. */
export function withStepFields(doc: JsonObject, key: string, fields: JsonObject): JsonObject {
  const steps = objectOf(own(doc, "steps"));
  return { ...doc, steps: { ...steps, [key]: { ...objectOf(own(steps, key)), ...fields } } };
}

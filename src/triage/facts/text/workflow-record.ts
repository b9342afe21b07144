/** Whether a text is a workflow's own record, known by its schema (links/workflow-records.ts says what follows). Pure. */
import { isJsonObject, parsedOrNull } from "../../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../../model/limits.ts";
import { HANDOFF_FILE, isCompanionText, isStateDocument } from "../../../model/workflow-state.ts";
import { jsonDepth } from "../../../text/json-depth.ts";
import type { WorkflowRecord } from "../known/file-facts.ts";
import { nameOfPath } from "../manifests/manifest-kinds.ts";

/** A state file may have any name that ends so; what it was before a change lies beside it under these. */
const STATE_NAME = /\.json(?:\.bak(?:\.\d)?|\.corrupt(?:-.*)?)?$/;

/** Null: it is none. Asked of every file: what has none of the names or words is not parsed. */
export function workflowRecordIn(path: string, text: string): WorkflowRecord | null {
  const name = nameOfPath(path);
  if (name.includes(HANDOFF_FILE)) return isCompanionText(text) ? { kind: "companion", artifacts: [] } : null;
  if (!STATE_NAME.test(name) || !text.includes('"schema_version"')) return null;
  const value = jsonIn(text);
  if (!isStateDocument(value)) return null;
  const steps = isJsonObject(value) && isJsonObject(value.steps) ? Object.values(value.steps) : [];
  const artifacts = steps.flatMap((step) =>
    isJsonObject(step) && Array.isArray(step.artifacts) ? (step.artifacts as unknown[]) : [],
  );
  return { kind: "state", artifacts: artifacts.filter((one): one is string => typeof one === "string") };
}

const jsonIn = (text: string): unknown =>
  jsonDepth(Buffer.from(text)) > MAX_JSON_DEPTH ? null : parsedOrNull(text.replace(/^\uFEFF/, ""));

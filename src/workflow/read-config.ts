/** The step list for a state file: `workflow` of the nearest refloat.json at or above it, else the original. */
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { jsonOf, readJsonTree } from "./json-tree.ts";
import { own } from "./state-doc.ts";
import { ORIGINAL_WORKFLOW, shapeOfConfig, type WorkflowShape, workflowConfig } from "./step-list.ts";

const CONFIG_FILE = "refloat.json";

/** For absolute paths. Remembers what it found per folder: a thousand files share a few folders above them. */
export function createShapeReader(): (path: string) => WorkflowShape {
  const known = new Map<string, WorkflowShape>();
  const shapeIn = (folder: string): WorkflowShape => {
    const seen = known.get(folder);
    if (seen) return seen;
    const path = `${folder}/${CONFIG_FILE}`;
    const parent = dirname(folder);
    const shape = existsSync(path)
      ? readShape(path)
      : parent === folder
        ? ORIGINAL_WORKFLOW
        : shapeIn(parent);
    known.set(folder, shape);
    return shape;
  };
  return (path) => shapeIn(dirname(path));
}

function readShape(path: string): WorkflowShape {
  const tree = readJsonTree(readFileSync(path, "utf8"), { comments: true });
  if (tree.kind === "broken") throw new RefloatError("E_NO_FILE", { path, why: tree.why });
  const workflow = own(jsonOf(tree.root), "workflow");
  if (workflow === undefined) return ORIGINAL_WORKFLOW;
  const parsed = workflowConfig.safeParse(workflow);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const why = `workflow.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit"}`;
    throw new RefloatError("E_NO_FILE", { path, why }, parsed.error);
  }
  return shapeOfConfig(parsed.data);
}

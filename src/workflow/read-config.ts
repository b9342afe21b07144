/** The step list for a state file: `workflow` of the nearest refloat.json at or above it, else the original. */
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { CONFIG_FILE } from "../model/config.ts";
import { readConfigText } from "../text/read-config-text.ts";
import { ORIGINAL_WORKFLOW, shapeOfConfig, type WorkflowShape } from "./step-list.ts";

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
  const { workflow } = readConfigText(readFileSync(path, "utf8"), path);
  return workflow === undefined ? ORIGINAL_WORKFLOW : shapeOfConfig(workflow);
}

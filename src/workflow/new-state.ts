/** A document for a state file that is not there yet: `state init`, and the first `step start` where there never was one. */
import { basename, dirname } from "node:path";
import type { JsonObject } from "../model/json.ts";
import type { OpenedState } from "./change-state.ts";
import type { Version } from "./definition.ts";
import { stamp } from "./state-doc.ts";
import { templateOf } from "./template.ts";

export interface NewStateOptions {
  /** Null: its folder's name. */
  readonly project: string | null;
  readonly branch: string;
  readonly region: string;
  readonly version: Version;
}

export const DEFAULT_BRANCH = "main";
const AS_BY_INIT: NewStateOptions = { project: null, branch: DEFAULT_BRANCH, region: "", version: "2.0" };

export function newState(
  { identity, shape, nowMs }: OpenedState,
  { version, branch, region, project }: NewStateOptions = AS_BY_INIT,
): JsonObject {
  const named = project ?? basename(dirname(identity.path));
  return templateOf(shape, version, { project: named, branch, region, updated: stamp(nowMs) });
}

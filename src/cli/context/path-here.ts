/** A path as somebody typed it, from where he stands: bytes that are no UTF-8 included. */

import { pathFrom, type WorkspaceHere } from "../../app/place/workspace-here.ts";
import type { PathName } from "../../model/path-name.ts";
import { typedName } from "../grammar/typed-name.ts";

export const pathHere = (here: WorkspaceHere, typed: string): PathName => pathFrom(here, typedName(typed));

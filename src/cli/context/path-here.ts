/** A path as somebody typed it, from where he stands: bytes that are no UTF-8 included. */

import type { WorkspaceHere } from "../../app/place/workspace-here.ts";
import type { PathName } from "../../model/path-name.ts";
import { pathInWorkspace } from "../../workspace/opening/workspace.ts";
import { typedName } from "../grammar/typed-name.ts";

export const pathHere = ({ workspace, place }: WorkspaceHere, typed: string): PathName =>
  pathInWorkspace(workspace, place, typedName(typed));

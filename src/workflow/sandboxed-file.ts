/**
 * Which state files may be spoken of from inside a sandbox: whoever carries out what was said stands outside of it, and may write more
 * than its agent. So only what lies in the agent's own workspace, through no link, and is none of git's (W3); a new one under its own name.
 */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, isAbsolute, relative, sep } from "node:path";
import { STATE_FILE } from "../model/workflow-state.ts";
import { identityOf } from "./claim-ids.ts";

/** `root`: the workspace's top. */
export function isFileOf(root: string, file: string): boolean {
  if (!isAbsolute(file) || !existsSync(root)) return false;
  const { path } = identityOf(file);
  const parts = relative(realpathSync(root), path).split(sep);
  if (parts[0] === ".." || parts.some((part) => part.toLowerCase() === ".git")) return false;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found ? found.isFile() : basename(path) === STATE_FILE;
}

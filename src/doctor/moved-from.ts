/**
 * Where this repository was before somebody moved its folder. Sessions, captures and what is parked belong to a place (DESIGN 15): in the
 * new one nothing of them is listed, and whoever looks there would think it gone. Told by the folder of git itself, which keeps its
 * inode when it is moved on one disk.
 */
import { existsSync } from "node:fs";
import { bodyAs } from "../model/record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { cloneOf, type Workspace } from "../workspace/opening/workspace.ts";
import { lastCaptureOf } from "../workspace/sessions/workspace-sessions.ts";
import type { MovedFacts } from "./facts.ts";

export async function movedFrom(store: Store, workspace: Workspace | null): Promise<readonly MovedFacts[]> {
  if (workspace?.kind !== "git") return [];
  const clone = cloneOf(workspace);
  const places = new Set<string>();
  for await (const row of store.everySession()) {
    if (lastCaptureOf(row)?.clone !== clone) continue;
    const from = await placeOf(store, row);
    if (from && !existsSync(from.path) && !existsSync(from.commonDir)) places.add(from.path);
  }
  return [...places].map((from) => ({ from, to: workspace.root }));
}

/** A linked work tree that is gone has left git's folder where it is: only a place whose own has gone was moved. */
async function placeOf(
  store: Store,
  { id }: SessionRow,
): Promise<{ path: string; commonDir: string } | null> {
  const query = { session: id, kinds: ["capture.taken"], order: "backward", limit: 1 } as const;
  const [record] = await store.records(query);
  const { path, common_dir: commonDir } = (record && bodyAs(record, "capture.taken")?.workspace) ?? {};
  return path !== undefined && typeof commonDir === "string" ? { path, commonDir } : null;
}

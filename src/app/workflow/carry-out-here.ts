/** For commands that write state files: what was said of them from inside a sandbox comes before what they do themselves. */
import { existsSync } from "node:fs";
import { inboxOf } from "../../agents/inbox/inbox-folder.ts";
import type { Store } from "../../store/store.ts";
import { stateMarker } from "../../text/marker-line.ts";
import { carryOutSaid } from "../../workflow/carry-out-said.ts";
import { isFileOf } from "../../workflow/sandboxed-file.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import { carryOutIn } from "../inbox/said-in.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import { tellsNobody } from "../telling/news.ts";

/** Before the one that is meant is looked for: the first start of all may have been said only. */
export async function carryOutHere(at: AppPlace): Promise<void> {
  await hearHooks(at);
  const store = await at.findStore();
  if (store) await carryOutIn(store.raw, at.place(), at.tell ?? tellsNobody);
}

/** The same of files wherever they are. */
export async function carryOutOf(at: AppPlace, store: Store, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const answered = await carryOutSaid(store, file);
    if (answered.length > 0) at.tell?.({ kind: "said-answered", file, answered });
  }
}

/** Hooks of some agent leave what happens here. */
export const isHooked = async (at: AppPlace): Promise<boolean> => existsSync(inboxOf(await at.home()));

/** Whether the hooks of an agent would take in what a command says of this file: they are installed, and the file is the workspace's. */
export async function isTakenIn(at: AppPlace, file: string): Promise<boolean> {
  if (!(await isHooked(at))) return false;
  const { workspace } = await workspaceHere(at, null);
  // A name that is no plain line could not be read again.
  return isFileOf(workspace.root, file) && stateMarker(file) === `${stateMarker("")}${file}`;
}

/**
 * What is there when an operation begins or ends, held before the command returns: the agent waits for it, so that nothing of its
 * work comes between (T2). That it could not be held changes nothing about the operation.
 */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { ensureError, RefloatError } from "../../../model/errors.ts";
import { type CaptureOptions, takeCapture } from "../../../workspace/captures/take-capture.ts";
import type { WrittenRecord } from "../../../workspace/sessions/write-into.ts";
import type { Context } from "../../context/context.ts";

export async function operationCapture(
  context: Context,
  { session }: WrittenRecord,
  taken: Pick<CaptureOptions, "reason" | "ended">,
): Promise<string | null> {
  const store = await context.openStore();
  const { workspace, place, env } = await workspaceHere(context, store);
  if (workspace.kind !== "git") return null;
  try {
    return (await takeCapture(store.raw, workspace, { env, place, session, ...taken })).id;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    context.out.narrate(`The tree was not captured: ${ensureError(thrown).message}`);
    return null;
  }
}

/** The capture at an operation's begin or end (app/captures/capture.ts); that it could not be taken is said. */
import { captureOperation } from "../../../app/captures/capture.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import type { CaptureOptions } from "../../../workspace/captures/take-capture.ts";
import type { WrittenRecord } from "../../../workspace/sessions/write-into.ts";
import type { Context } from "../../context/context.ts";

export async function operationCapture(
  context: Context,
  { session }: WrittenRecord,
  about: Pick<CaptureOptions, "reason" | "ended">,
): Promise<string | null> {
  const store = await context.openStore();
  const here = await workspaceHere(context, store);
  return captureOperation(store.raw, here, { session, ...about }, ({ message }) =>
    context.out.narrate(`The tree was not captured: ${message}`),
  );
}

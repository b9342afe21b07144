/**
 * A named stretch of work: what changes between its begin and its end belongs together. The tree is held at both, so that what was
 * half done before is not the operation's, and its end does not vouch for it (T2); where it names paths, at its end only.
 */
import { RefloatError } from "../../model/errors.ts";
import { randomId } from "../../platform/random.ts";
import { newRecord } from "../../session/new-record.ts";
import { textOrder } from "../../text/text-order.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { CaptureOptions } from "../../workspace/captures/take-capture.ts";
import { type ListedOperation, openOperation, operationsOf } from "../../workspace/sessions/operations.ts";
import type { WrittenRecord } from "../../workspace/sessions/write-into.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, workspaceHere } from "../place/workspace-here.ts";
import { sayHere } from "../sessions/say-here.ts";
import { captureAt } from "./capture.ts";

type OnNotHeld = (error: RefloatError) => void;

export type NamedOperation = Pick<ListedOperation, "id" | "label" | "paths">;

export type OperationOutcome =
  | {
      readonly kind: "recorded";
      readonly written: WrittenRecord;
      readonly operation: NamedOperation;
      /** Null: the tree is not held. */
      readonly capture: string | null;
    }
  /** The store cannot be written here: a face leaves the text marker. */
  | { readonly kind: "unrecorded"; readonly operation: NamedOperation | null };

export async function beginOperation(
  at: AppPlace,
  { label, paths }: { readonly label: string; readonly paths: readonly string[] },
  onNotHeld: OnNotHeld,
): Promise<OperationOutcome> {
  const operation = { id: randomId(), label, paths: paths.length > 0 ? [...paths] : null };
  const said = await sayHere(at, (store) => (_session, from) => {
    const body = { operation: operation.id, label, paths: operation.paths, from };
    return newRecord(store.clock, "operation.began", body, `operation:${operation.id}`);
  });
  if (said.kind !== "recorded") return { kind: "unrecorded", operation };
  const { written } = said;
  const capture =
    operation.paths === null ? await heldNow(at, written, { reason: "operation-begin" }, onNotHeld) : null;
  return { kind: "recorded", written, operation, capture };
}

/** `label`: null: the newest open one. */
export async function endOperation(
  at: AppPlace,
  { label, isAborted }: { readonly label: string | null; readonly isAborted: boolean },
  onNotHeld: OnNotHeld,
): Promise<OperationOutcome> {
  let found: ListedOperation | null = null;
  const said = await sayHere(at, (store) => async (session, from) => {
    found = await openOperation(store, session, label);
    const body = { operation: found.id, aborted: isAborted, from };
    return newRecord(store.clock, "operation.ended", body, `operation-end:${found.id}`);
  });
  const operation = found as ListedOperation | null;
  if (said.kind !== "recorded" || !operation) return { kind: "unrecorded", operation };
  const about = { reason: "operation-end" as const, ended: isAborted ? [] : [operation.id] };
  const { written } = said;
  return { kind: "recorded", written, operation, capture: await heldNow(at, written, about, onNotHeld) };
}

/**
 * Before the command returns: the agent waits for it, so that nothing of its work comes between (T2). That it could not be held changes
 * nothing about the operation. Null: it is not held.
 */
async function heldNow(
  at: AppPlace,
  { session }: WrittenRecord,
  about: Pick<CaptureOptions, "reason" | "ended">,
  onNotHeld: OnNotHeld,
): Promise<string | null> {
  const store = await at.openStore();
  const here = await workspaceHere(at, store);
  if (here.workspace.kind !== "git") return null;
  try {
    return (await captureAt(store.raw, here, { session, ...about })).id;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    onNotHeld(thrown);
    return null;
  }
}

export interface OperationsHere {
  /** The workspace's top. */
  readonly root: string;
  /** Of all its sessions, open ones first, then the newest; labels without secrets (T4). */
  readonly operations: readonly ListedOperation[];
}

/** Reads only. */
export async function operationsHere(at: AppPlace): Promise<OperationsHere> {
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  const found: ListedOperation[] = [];
  if (store)
    for (const { id } of await sessionsHere(store, here)) found.push(...(await operationsOf(store.raw, id)));
  const { value: labels } = await withoutSecrets(found.map(({ label }) => label));
  const said = found.map((operation, i) => ({ ...operation, label: labels[i] ?? "" }));
  const operations = said.toSorted(
    (a, b) => Number(b.state === "open") - Number(a.state === "open") || textOrder(b.at, a.at),
  );
  return { root: here.workspace.root, operations };
}

/**
 * What is held of the tree as it was before a call, where a hook took it then, or that nothing is (DESIGN 6): by the journal's id of the call.
 * A hook that knows no id of the call is matched by tool and input, the newest first.
 */
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { factId } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type HeldBefore, heldBeforeIn } from "../../text/before-words.ts";

export type BeforeImages = ReadonlyMap<string, HeldBefore>;

export const NO_BEFORE_IMAGES: BeforeImages = new Map();

interface TakenBefore {
  readonly image: HeldBefore;
  /** As the journal would call it. */
  readonly id: string;
  readonly key: string;
}

/** Events that are looked at: the newest of a long session. */
const MAX_PAGES = 10;

export async function beforeImages(
  store: Store,
  { id: session, facts, head }: SessionRow,
): Promise<BeforeImages> {
  if (facts.hooked === undefined) return NO_BEFORE_IMAGES;
  const taken = await takenBefore(store, session, head);
  if (taken.length === 0) return NO_BEFORE_IMAGES;
  return imagesOf(
    taken,
    await store.records({ session, kinds: ["call.started"], order: "backward", limit: READ_PAGE_ROWS }),
  );
}

/** The same of calls that are not in the journal yet, since more may come of them: by tool and input. */
export async function beforeHooked(
  store: Store,
  { id, head }: SessionRow,
): Promise<(call: { readonly tool: Json; readonly input: Json }) => HeldBefore | null> {
  const taken = await takenBefore(store, id, head);
  return ({ tool, input }) => taken.find(({ key }) => key === keyOf(tool, input))?.image ?? null;
}

/** Newest first. */
async function takenBefore(store: Store, session: SessionId, head: number): Promise<TakenBefore[]> {
  const taken: TakenBefore[] = [];
  let toSeq = head;
  for (let page = 0; page < MAX_PAGES && toSeq > 0; page++) {
    const query = {
      session,
      kinds: ["agent.observed"],
      toSeq,
      order: "backward",
      limit: READ_PAGE_ROWS,
    } as const;
    const records = await store.records(query);
    taken.push(...records.flatMap(({ body }) => takenIn(body)));
    toSeq = records.length < READ_PAGE_ROWS ? 0 : (records.at(-1)?.seq ?? 1) - 1;
  }
  return taken;
}

/** Pure. Both newest first. */
export function imagesOf(
  taken: readonly TakenBefore[],
  calls: readonly { readonly body: JsonObject }[],
): BeforeImages {
  const images = new Map<string, HeldBefore>();
  const left = [...taken];
  for (const { body } of calls) {
    const id = String(body.call);
    const at = left.findIndex((one) => one.id === id || one.key === keyOf(body.tool, body.input));
    const found = at === -1 ? undefined : left.splice(at, 1)[0];
    if (found) images.set(id, found.image);
  }
  return images;
}

function takenIn(body: JsonObject): readonly TakenBefore[] {
  const image = heldBeforeIn(body.before);
  const heard = Array.isArray(body.heard) ? (body.heard as readonly Json[]) : [];
  const call = heard.filter(isJsonObject).find(({ kind }) => kind === "call");
  if (image === null || !call) return [];
  const id = factId("call", `${String(body.native_id).slice(0, 8)}:${String(call.id)}`);
  return [{ image, id, key: keyOf(call.tool, call.input) }];
}

const keyOf = (tool: Json | undefined, input: Json | undefined): string =>
  JSON.stringify([tool ?? null, input ?? null]);

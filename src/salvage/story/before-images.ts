/**
 * What is held of the tree as it was before a call, where a hook took it then, or that nothing is (DESIGN 6): by the journal's id of the call.
 * A hook that knows no id of the call is matched by tool and input, the newest first.
 */
import type { z } from "zod";
import { beforeImage } from "../../model/agent-kinds.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { factId } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";

export type HeldBefore = z.infer<typeof beforeImage>;
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
  if (taken.length === 0) return NO_BEFORE_IMAGES;
  return imagesOf(
    taken,
    await store.records({ session, kinds: ["call.started"], order: "backward", limit: READ_PAGE_ROWS }),
  );
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
  const image = beforeImage.safeParse(body.before);
  const heard = Array.isArray(body.heard) ? (body.heard as readonly Json[]) : [];
  const call = heard.filter(isJsonObject).find(({ kind }) => kind === "call");
  if (!image.success || !call) return [];
  const id = factId("call", `${String(body.native_id).slice(0, 8)}:${String(call.id)}`);
  return [{ image: image.data, id, key: keyOf(call.tool, call.input) }];
}

const keyOf = (tool: Json | undefined, input: Json | undefined): string =>
  JSON.stringify([tool ?? null, input ?? null]);

/**
 * What blackbox.html of a bundle holds for the page's own components: as the page's server would answer it, at the time the bundle was written (S7). Without
 * secrets whatever `--raw` says (T4), and bounded: the newest records, the first changes, within one size (T5). The journal and the patch beside it have the rest.
 */
import { BLACKBOX_BYTES, READ_PAGE_ROWS } from "../../model/limits.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { WrittenBrief } from "../handoff/session-brief.ts";
import { type GroupChanges, groupChanges } from "../salvage/group-changes.ts";
import { outputRate } from "../sessions/output-rate.ts";
import { recordsOf, type ShownRecord } from "../sessions/session-records.ts";
import { toldSession } from "../sessions/told-session.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** `most`: records, the newest. */
export async function blackboxPage(
  store: RefloatStore,
  row: SessionRow,
  { written, most }: { readonly written: WrittenBrief; readonly most: number },
) {
  const { manifest, found, brief, facts } = written;
  const told = await toldSession(store, row);
  const room = { left: BLACKBOX_BYTES };
  const diffs: GroupChanges[] = [];
  for (const { id } of manifest.groups) {
    if (room.left <= 0) break;
    const one = await groupChanges(found, id);
    if (taken(room, one)) diffs.push(one);
  }
  const records = await newestRecords(store, row, { head: told.head, most }, room);
  const { markdown, budget, tokens, left_out } = brief;
  const { value } = await withoutSecrets({
    made_at: new Date(store.raw.clock.nowMs()).toISOString(),
    told,
    salvage: { ...manifest, check: null, can_commit: false, steps: facts.steps },
    handoff: { session: row.id, markdown, budget, tokens, left_out },
  });
  return { ...value, diffs, records, rate: await outputRate(store, row) };
}

function taken(room: { left: number }, value: unknown): boolean {
  const size = JSON.stringify(value).length;
  if (size > room.left) return false;
  room.left -= size;
  return true;
}

/** In order; those that are too old or too large for the file are not among them. */
async function newestRecords(
  store: RefloatStore,
  row: SessionRow,
  { head, most }: { readonly head: number; readonly most: number },
  room: { left: number },
): Promise<readonly ShownRecord[]> {
  const { page } = recordsOf(store, row);
  const newest: ShownRecord[] = [];
  for (let to = head; to > Math.max(0, head - most) && room.left > 0; to -= READ_PAGE_ROWS) {
    const from = Math.max(1, to - READ_PAGE_ROWS + 1);
    const { records } = await page(from, to - from + 1);
    newest.unshift(...records.filter((one) => taken(room, one)));
  }
  return newest;
}

/**
 * A session that was sent and never arrived goes on where it was. Never by a guess: the other machine says that it will not have it, the file never
 * gets its name, or the user says that nobody has it. A file that is there proves nothing: who takes it in leaves it.
 */
import { existsSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { SENT_AWAY } from "../../model/transfer-kinds.ts";
import { removeDurable } from "../../platform/durable-file.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { type SentAway, sentAway } from "../../store/contract/session-facts.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { findSession, rowNow } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";
import { fromStore, otherSide, PROGRAM_THERE } from "./other-side.ts";
import { headerOf } from "./receive.ts";
import { partialPath } from "./send.ts";
import { parseTarget } from "./target.ts";
import {
  decideGone,
  decideNeverNamed,
  dropOpen,
  isOpen,
  programOf,
  type TransferFiles,
  transferFiles,
} from "./transfer-files.ts";

export interface TakeBackOrder {
  readonly session: string | null;
  /** Why the other side is gone for good: it is not asked; null: it is. */
  readonly gone: string | null;
  /** Null: as it was called when it was sent. */
  readonly program: string | null;
}

export interface SessionTakenBack {
  readonly row: SessionRow;
  readonly to: string;
  readonly reason: string;
}

export async function takeBack(at: AppPlace, order: TakeBackOrder): Promise<SessionTakenBack> {
  const { store, row } = await findSession(at, order.session);
  await assertNotJudged(at.env, store.raw, "take a session back");
  const sent = sentAway(row);
  if (!sent) throw new RefloatError("E_SEND_NOT_SENT", { session: row.id });
  const files = transferFiles(await at.home());
  // By the user's word nobody has taken it in: then nobody shall any more.
  if (order.gone !== null) await callOffFile(sent, files);
  const reason = order.gone ?? (await calledOff(at, row, sent, files, order.program));
  return { row: await recordBack(store, row, { sent, files, reason }), to: sent.to, reason };
}

/**
 * For who would go on with it here. One whose transfer was killed before anybody heard that it arrived is taken back, if the other side agrees; one
 * that arrived is E_SENT.
 */
export async function backIfUnderWay(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  tell: Tell,
): Promise<SessionRow> {
  const sent = sentAway(row);
  if (!sent) return row;
  const files = transferFiles(await at.home());
  const isSent = new RefloatError("E_SENT", { session: row.id, where: ` to ${sent.to}` });
  if (!isOpen(files, sent.transfer)) throw isSent;
  await assertNotJudged(at.env, store.raw, "take a session back");
  let reason: string;
  try {
    reason = await calledOff(at, row, sent, files, null, true);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    if (thrown.code === "E_SEND_ARRIVED") throw isSent;
    const { to } = sent;
    throw new RefloatError("E_SEND_OPEN", { session: row.id, to, target: to, why: thrown.message }, thrown);
  }
  const now = await recordBack(store, row, { sent, files, reason });
  tell({ kind: "taken-back", session: row.id, to: sent.to });
  return now;
}

/** For who only looks what would be. */
export function assertNotSent(row: SessionRow): void {
  const sent = sentAway(row);
  if (sent) throw new RefloatError("E_SENT", { session: row.id, where: ` to ${sent.to}` });
}

/** Why it may go on here. `leavesWhole`: a file that is whole has arrived. */
async function calledOff(
  at: AppPlace,
  { id: session }: SessionRow,
  { transfer, to, store }: SentAway,
  files: TransferFiles,
  asked: string | null,
  leavesWhole = false,
): Promise<string> {
  const arrived = new RefloatError("E_SEND_ARRIVED", { session, to });
  const target = parseTarget(to, "/");
  if (target.kind === "file") {
    const { path } = target;
    const isThere = await isFileOf(path, transfer);
    if (isThere && leavesWhole) {
      dropOpen(files, transfer);
      throw arrived;
    }
    // That it is not there proves nothing: it had its name and was moved, or gets it this instant. Only that it never will does.
    if (!isThere && !(isOpen(files, transfer) && decideNeverNamed(files, transfer)))
      throw new RefloatError("E_SEND_FILE_AWAY", { session, path });
    if (isThere) throw new RefloatError("E_SEND_FILE_WHOLE", { session, path });
    removeDurable(partialPath(path, transfer));
    return "its file never was whole";
  }
  const program = asked ?? programOf(files, transfer) ?? PROGRAM_THERE;
  const side = otherSide(target, { env: at.env, cwd: at.place(), program });
  const said = await side.refuse({ transfer, session });
  const { state } = fromStore(said, { host: target.host, session, store });
  if (state === "refused") return "the other machine has called it off";
  dropOpen(files, transfer);
  throw arrived;
}

const isFileOf = async (path: string, transfer: string): Promise<boolean> =>
  existsSync(path) && (await headerOf(path))?.head.id === transfer;

/**
 * A `send` may be about to name it this instant (K1). In this order it cannot: who decides after the word is refused; who decided before had his
 * partial whole by then, so either that is taken from under him, or the name is there to be found.
 */
async function callOffFile({ transfer, to }: SentAway, files: TransferFiles): Promise<void> {
  const target = parseTarget(to, "/");
  if (target.kind !== "file") return;
  decideGone(files, transfer);
  const partial = partialPath(target.path, transfer);
  if (existsSync(partial)) removeDurable(partial);
  if (await isFileOf(target.path, transfer)) removeDurable(target.path);
}

async function recordBack(
  store: RefloatStore,
  { id: session }: SessionRow,
  {
    sent,
    files,
    reason,
  }: { readonly sent: SentAway; readonly files: TransferFiles; readonly reason: string },
): Promise<SessionRow> {
  const { transfer, suspended } = sent;
  const body = { transfer, fence: SENT_AWAY.id, suspended, reason } as const;
  const { raw } = store;
  await raw.append(session, "anyone", [
    newRecord(raw.clock, "session.taken-back", body, `taken-back:${transfer}`),
  ]);
  dropOpen(files, transfer);
  return rowNow(store, session);
}

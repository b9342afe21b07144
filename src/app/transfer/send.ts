/**
 * One session whole into another store, without a server between them (docs/decisions/0027). What is on disk after each step, and what the same
 * command does when this one was killed there:
 *   1. captured, offered     there it is held, or the file is begun; live here; a new transfer is begun
 *   2. marked as under way   as 1
 *   3. recorded as sent      nobody writes to it here any more (K1); the same transfer is finished, or taken back
 *   4. sealed                live there, or the file has its name; that is found out and said
 *   5. mark dropped          done
 * Everything goes as it is: secrets, files, commits. It is for the user's own machines (T4); an export is for others.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { speaksForUser } from "../../handoff/bundle/import-bundle.ts";
import { RefloatError } from "../../model/errors.ts";
import { isManualSession, type SessionId } from "../../model/ids.ts";
import { SENT_AWAY } from "../../model/transfer-kinds.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { linkDurable, removeDurable } from "../../platform/durable-file.ts";
import { appendDurableFrom, createDurableFrom } from "../../platform/durable-stream.ts";
import { selfOwner } from "../../platform/identity.ts";
import { randomId } from "../../platform/random.ts";
import { giveBack, keepAlive, takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { sentAway, suspendedFor } from "../../store/contract/session-facts.ts";
import { type TransferCut, transferLines } from "../../store/export.ts";
import type { TransferHead } from "../../store/export-format.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { recover } from "../recovery/recover.ts";
import { findSession, rowNow } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";
import { withEnds } from "../upkeep/read-lines.ts";
import { fromStore, otherSide, PROGRAM_THERE } from "./other-side.ts";
import { type LeftBehind, prepareToSend } from "./prepare.ts";
import { headerOf, sentRecordId } from "./receive.ts";
import { isSameTarget, parseTarget, type SendTarget, targetText } from "./target.ts";
import {
  decideNamed,
  decisionOf,
  dropOpen,
  markOpen,
  programOf,
  type TransferFiles,
  transferFiles,
} from "./transfer-files.ts";

export interface SendOrder {
  /** As it was typed; null: the newest here. */
  readonly session: string | null;
  readonly target: string;
  /** The one store that a file is for; null: whichever takes it in first. */
  readonly forStore: string | null;
  /** refloat on the other machine, as its shell understands it; null: as before, or by its name. */
  readonly program: string | null;
}

export interface SendOutcome {
  readonly session: SessionId;
  readonly transfer: string;
  readonly to: string;
  readonly target: SendTarget;
  readonly records: number;
  /** A transfer that was begun before was finished. */
  readonly isFinishing: boolean;
  /** What could not go along; null: it was told when the transfer was begun. */
  readonly left: LeftBehind | null;
}

export async function sendSession(at: AppPlace, order: SendOrder, tell: Tell): Promise<SendOutcome> {
  const target = parseTarget(order.target, at.place());
  if (order.forStore !== null && target.kind === "ssh")
    throw new RefloatError("E_USAGE", {
      why: "--for is of a file: by ssh the store that it goes to is asked.",
    });
  const { store, row } = await findSession(at, order.session);
  await assertNotJudged(at.env, store.raw, "send a session away");
  assertSendable(row);
  const files = transferFiles(await at.home());
  const sent = sentAway(row);
  if (sent === null) return sendNew({ at, store, order, target, files, tell }, row);
  const before = parseTarget(sent.to, "/");
  if (!isSameTarget(before, target))
    throw new RefloatError("E_SEND_ELSEWHERE", {
      session: row.id,
      to: sent.to,
      target: targetText(target),
      typed: sent.to,
    });
  if (order.forStore !== null && order.forStore !== sent.forStore)
    throw new RefloatError("E_USAGE", {
      why: `--for was ${sent.forStore ?? "not given"} when this transfer was begun, and stays so.`,
    });
  const transfer = { id: sent.transfer, session: row.id, for: sent.forStore };
  await deliver(
    { at, order, target, files, into: sent.store },
    { store, cut: { row, transfer, offered: sent.offered } },
  );
  return outcomeOf(row, transfer, target, null);
}

interface Sending {
  readonly at: AppPlace;
  readonly store: RefloatStore;
  readonly order: SendOrder;
  readonly target: SendTarget;
  readonly files: TransferFiles;
  readonly tell: Tell;
}

const outcomeOf = (
  row: SessionRow,
  transfer: TransferHead,
  target: SendTarget,
  left: LeftBehind | null,
): SendOutcome => ({
  session: row.id,
  transfer: transfer.id,
  to: targetText(target),
  target,
  records: row.head,
  isFinishing: left === null,
  left,
});

function assertSendable({ id: session, facts }: SessionRow): void {
  const no = (why: string): RefloatError => new RefloatError("E_SEND_NOT_THIS", { session, why });
  if (speaksForUser(session)) throw no("it is a journal of refloat's own");
  if (isManualSession(session)) throw no("it holds what you said yourself in this workspace");
  if (facts.gateway !== undefined)
    throw no("it is a conversation of a gateway, which goes on where that runs");
}

async function sendNew(sending: Sending, first: SessionRow): Promise<SendOutcome> {
  const { at, store, order, target, files, tell } = sending;
  const { raw } = store;
  if (target.kind === "file" && existsSync(target.path))
    throw new RefloatError("E_EXISTS", { path: target.path });
  await recover({
    store: raw,
    env: at.env,
    home: await at.home(),
    where: { kind: "session", row: first },
    tell,
  });
  const { id: session } = first;
  const owner = selfOwner("refloat send");
  const { attempt } = await takeClaim(raw, { session, owner, records: () => [] });
  const beat = keepAlive(raw, session, attempt, () => undefined); // who lost it is refused by the store at the next write
  let isFenced = false;
  try {
    const left = await prepareToSend(at, store, { session, attempt }, tell);
    crashPoint("send.after-capture");
    const row = await rowNow(store, session);
    const transfer: TransferHead = { id: randomId(), session, for: order.forStore };
    const cut = { row, transfer, offered: row.head };
    const into = await offer(sending, cut);
    crashPoint("send.after-offer");
    markOpen(files, transfer.id, { session, program: order.program ?? PROGRAM_THERE });
    const body = {
      ...{ transfer: transfer.id, fence: SENT_AWAY.id, to: targetText(target), offered: row.head },
      ...{ from: (await raw.driver.info()).storeId, suspended: suspendedFor(row) },
      ...(into === null ? {} : { store: into }),
      ...(order.forStore === null ? {} : { for: order.forStore }),
    } as const;
    const records = [
      newRecord(raw.clock, "claim.released", { attempt }),
      newRecord(raw.clock, "session.sent", body, sentRecordId(transfer.id)),
    ];
    await raw.release(session, attempt, records);
    isFenced = true;
    crashPoint("send.after-fence");
    const now = await rowNow(store, session);
    await deliver({ ...sending, into, isOffered: true }, { store, cut: { ...cut, row: now } });
    return outcomeOf(now, transfer, target, left);
  } finally {
    beat.stop();
    if (!isFenced) await giveBack(raw, { session, attempt, owner });
  }
}

/** Under a name of ours: it has no end, so nobody can take it in. */
export const partialPath = (path: string, transfer: string): string =>
  join(dirname(path), `.${basename(path)}.${transfer}.partial`);

/** The store that has it by ssh; null: it is in a file. */
async function offer({ at, store, order, target }: Sending, cut: TransferCut): Promise<string | null> {
  const lines = transferLines(store.raw, cut, "offer");
  if (target.kind === "file") {
    await createDurableFrom(partialPath(target.path, cut.transfer.id), withEnds(lines));
    return null;
  }
  const { state, store: into } = await otherSide(target, asking(at, order)).hold(lines);
  if (state !== "held") throw new RefloatError("E_SEND_REFUSED", { transfer: cut.transfer.id });
  return into;
}

const asking = ({ env, place }: AppPlace, { program }: Pick<SendOrder, "program">) => ({
  ...{ env, cwd: place() },
  program: program ?? PROGRAM_THERE,
});

interface Delivering extends Pick<Sending, "at" | "order" | "target" | "files"> {
  /** By ssh: the store that has it. */
  readonly into: string | null;
  /** What was offered is there, as this very process left it. */
  readonly isOffered?: boolean;
}

/** The session is over here: what seals it goes after it, and is given again as often as it takes. */
async function deliver(
  { at, order, target, files, into, isOffered = false }: Delivering,
  { store, cut }: { readonly store: RefloatStore; readonly cut: TransferCut },
): Promise<void> {
  const { transfer } = cut;
  if (target.kind === "file") await finishFile({ store, cut, files }, target.path, isOffered);
  else {
    const program = order.program ?? programOf(files, transfer.id);
    const side = otherSide(target, asking(at, { program }));
    const named = { transfer: transfer.id, session: cut.row.id };
    const expected = { host: target.host, session: cut.row.id, store: into };
    // Another store than the one that has it gets neither the seal nor the session.
    const before = isOffered ? null : fromStore(await side.accept(named, null), expected);
    if (before?.state === "unknown")
      fromStore(await side.hold(transferLines(store.raw, cut, "offer")), expected);
    const seal = transferLines(store.raw, cut, "seal");
    const { state } = fromStore(await side.accept(named, seal), expected);
    if (state !== "live") throw new RefloatError("E_SEND_REFUSED", { transfer: transfer.id });
  }
  crashPoint("send.before-confirmed");
  dropOpen(files, transfer.id);
}

async function finishFile(
  {
    store,
    cut,
    files,
  }: { readonly store: RefloatStore; readonly cut: TransferCut; readonly files: TransferFiles },
  path: string,
  isOffered: boolean,
): Promise<void> {
  const partial = partialPath(path, cut.transfer.id);
  if (!isOffered && existsSync(path) && (await headerOf(path))?.head.id === cut.transfer.id) {
    removeDurable(partial);
    return;
  }
  // Killed before, it may end anywhere: it is made anew, of the same records.
  if (!isOffered) {
    removeDurable(partial);
    await createDurableFrom(partial, withEnds(transferLines(store.raw, cut, "offer")));
  }
  await appendDurableFrom(partial, withEnds(transferLines(store.raw, cut, "seal")));
  // Whoever would take it back is too late from here on, though nobody sees the file yet.
  const refused = new RefloatError("E_SEND_REFUSED", { transfer: cut.transfer.id });
  if (!decideNamed(files, cut.transfer.id)) {
    removeDurable(partial);
    throw refused;
  }
  try {
    linkDurable(partial, path);
  } catch (thrown) {
    // Taken back on the user's word meanwhile, and the partial with it.
    throw decisionOf(files, cut.transfer.id) === "refused" ? refused : thrown;
  }
}

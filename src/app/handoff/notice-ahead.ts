/**
 * The notice of an interruption, written ahead for the recorder of hooks, which only prints it (notice-file.ts). Kept by whatever command was asked for in
 * the workspace, when it is done: written where one is due, taken away where it was settled, gone on with, told or grew old, so that nothing is told that is
 * not so any more. Marks of turns that are over go with it: what they would say is what the notice says, or nothing.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type FileLine,
  type KeptNotice,
  keptNotice,
  NOTICE_NAME,
  noticeFileOf,
  printNotice,
} from "../../agents/inbox/notice-file.ts";
import { marksBelow, openMarksOf, type TurnMark, turnMark } from "../../agents/inbox/open-marks.ts";
import { NOTICE_AGE_MS } from "../../handoff/notice.ts";
import { isJsonObject } from "../../model/json.ts";
import { makePrivateDirectory, writeDurable } from "../../platform/durable-file.ts";
import { hostId } from "../../platform/identity.ts";
import { readOrNull } from "../../platform/io-error.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { removeTemporary } from "../../platform/private-file.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { RefloatStore } from "../store/open-store.ts";
import {
  type DueNotice,
  dueOf,
  type LeftSession,
  leftHere,
  type NoticePlace,
  noticeText,
} from "./due-notice.ts";

export async function keepNoticeOf(store: RefloatStore, here: NoticePlace): Promise<void> {
  const { home, workspace } = here;
  const path = noticeFileOf(home, workspace.root);
  const marks = marksBelow(join(openMarksOf(home), workspace.root));
  const left = (await leftHere(store, here)).filter(({ summary }) => summary.state === "interrupted");
  const due = await firstDue(store, here, left);
  if (due === null) forget(path, keptNotice(path), left);
  else if (!isStillTrue(keptNotice(path), due)) await write(store, path, due, here);
  const others = marks.filter((mark) => basename(mark) !== NOTICE_NAME);
  if (others.length === 0) return;
  const rows = await store.raw.sessions({ workspace: workspace.root });
  const told = await untold(store, rows);
  for (const mark of others) clear(mark, { rows, left, told });
}

interface KnownHere {
  readonly rows: readonly SessionRow[];
  readonly left: readonly LeftSession[];
  /** Interruptions of which only a mark tells: they left no changes, and nobody has gone on with them. */
  readonly told: ReadonlySet<string>;
}

async function untold(store: RefloatStore, rows: readonly SessionRow[]): Promise<ReadonlySet<string>> {
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const summaries = await store.describe(rows.filter(({ id }) => !continued.has(id)));
  const found = new Set<string>();
  for (const { id, state, unsettled } of summaries) {
    const row = rows.find((one) => one.id === id);
    if (!row || state !== "interrupted" || unsettled) continue;
    // What it left and is not there any more was settled, by refloat or by hand.
    const [taken] = await newestCaptures(store.raw, [row], 1);
    if ((taken?.capture.entries.length ?? 0) === 0) found.add(id);
  }
  return found;
}

async function firstDue(
  store: RefloatStore,
  here: NoticePlace,
  left: readonly LeftSession[],
): Promise<DueNotice | null> {
  for await (const due of dueOf(store, here, left)) return due;
  return null;
}

/** Told already counts as well: it is not told twice before the event of it is taken in. */
function isStillTrue(kept: KeptNotice | null, { about }: DueNotice): boolean {
  if (kept?.about.session !== about.session || kept.about.attempt !== about.attempt) return false;
  return kept.kind === "told" || kept.trueOf.every(({ file, line }) => firstLine(file) === line);
}

function forget(path: string, kept: KeptNotice | null, left: readonly LeftSession[]): void {
  const isTold = kept?.kind === "told" && left.some(({ summary }) => summary.id === kept.about.session);
  if (kept !== null && !isTold) removeTemporary(path);
}

async function write(store: RefloatStore, path: string, due: DueNotice, here: NoticePlace): Promise<void> {
  const text = await noticeText(store, due, here);
  const untilMs = (due.facts.lastAtMs ?? 0) + NOTICE_AGE_MS;
  const { about } = due;
  const printed = text && printNotice({ about, untilMs, trueOf: linesOf(here.workspace), text });
  if (!printed) return removeTemporary(path);
  makePrivateDirectory(dirname(path));
  writeDurable(path, printed);
}

/** A commit, another branch: somebody went on with the work himself. Of a kind of ref storage that has no such files nothing is said. */
function linesOf(workspace: Workspace): readonly FileLine[] {
  if (workspace.kind === "folder") return [];
  const { gitDir, commonDir } = workspace.location;
  const head = join(gitDir, "HEAD");
  const [, ref] = /^ref: (refs\/[^\s]+)$/.exec(firstLine(head)) ?? [];
  const files = ref === undefined || ref.split("/").includes("..") ? [head] : [head, join(commonDir, ref)];
  return files.map((file) => ({ file, line: firstLine(file) }));
}

const firstLine = (file: string): string =>
  readOrNull(() => readFileSync(file, "utf8"))?.split("\n")[0] ?? "";

/**
 * A mark of a session that is known here, whose process is proved dead (K2), unless it alone tells of it; and that somebody was told of, once that is
 * settled.
 */
function clear(path: string, { rows, left, told }: KnownHere): void {
  const isLeft = (session: string): boolean => left.some(({ summary }) => summary.id === session);
  const kept = keptNotice(path);
  if (kept) {
    if (!isLeft(kept.about.session)) removeTemporary(path);
    return;
  }
  const mark = turnMark(basename(path), readOrNull(() => readFileSync(path, "utf8")) ?? "");
  const row = mark && rows.find((one) => isOf(one, mark));
  if (!mark || !row || told.has(row.id)) return;
  if (mark.kind === "told" ? !isLeft(row.id) : isOver(mark)) removeTemporary(path);
}

function isOver({
  owner: { pid, started, boot, pidNamespace },
}: Extract<TurnMark, { kind: "turn" }>): boolean {
  const owner = { host: hostId(), boot, pid_namespace: pidNamespace, pid, started, instance: "" };
  return livenessOf(owner).kind === "dead";
}

function isOf({ facts }: SessionRow, { agent, nativeId }: TurnMark): boolean {
  const told = [facts.heard, facts.hooked].filter((one) => isJsonObject(one));
  return facts.agent === agent && [facts.native_id, ...told.map((one) => one.native_id)].includes(nativeId);
}

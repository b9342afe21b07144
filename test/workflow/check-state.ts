/**
 * What must hold of a state file after a kill. At once: each file is whole. After the next command: file, ring and
 * companion are byte for byte versions the store knows, in its order; every acknowledged change is in them.
 */
import { existsSync, readFileSync } from "node:fs";
import { systemClock } from "../../src/platform/clock.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { changeState } from "../../src/workflow/change-state.ts";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { decisionsIn } from "../../src/workflow/decision-log.ts";
import { readHandoff } from "../../src/workflow/read-handoff.ts";
import { objectOf, own, stepsIn, timeOf } from "../../src/workflow/state-doc.ts";
import { keptVersions } from "../../src/workflow/state-journal.ts";
import { BACKUP_SUFFIXES, handoffOf } from "../../src/workflow/state-paths.ts";
import { ORIGINAL_WORKFLOW } from "../../src/workflow/step-list.ts";
import { validateFiles } from "../../src/workflow/validate-files.ts";
import { wrongSteps } from "./expected-steps.ts";
import type { Line, StateStore } from "./run-stepper.ts";

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

/** Right after a kill, before anything was run: every file is whole. A companion ends with its last line. */
export function tornFiles(file: string): string[] {
  const torn = [file, ...BACKUP_SUFFIXES.map((suffix) => file + suffix)].filter((path) => {
    const text = textOf(path);
    if (text === null) return false;
    try {
      JSON.parse(text);
      return false;
    } catch (_torn) {
      return true;
    }
  });
  const handoff = textOf(handoffOf(file));
  const isCut = handoff !== null && !(handoff.startsWith("# ") && handoff.endsWith("\n"));
  return [...torn, ...(isCut ? [handoffOf(file)] : [])].map((path) => `${path} is torn`);
}

/** Once the next command has run: state and companion agree, nothing acknowledged is gone. */
export async function wrongAfterNextCommand(
  store: StateStore,
  file: string,
  lines: readonly Line[],
): Promise<string[]> {
  const { url, ...how } = store;
  const raw = await openRawStore(url, { thread: false, ...how });
  try {
    await changeState(raw, file, async () => ({ doc: null, what: "look", result: null }));
    if (!existsSync(file)) return lines.some(({ k }) => k === "ack") ? ["the file is gone"] : [];
    return [
      ...tornFiles(file),
      ...(await wrongVersions(raw, file)),
      ...disagreements(file),
      ...lostOf(file, lines),
      ...wrongSteps(docOf(file), lines),
      ...(await wrongClaims(raw, file, lines)),
    ];
  } finally {
    await raw.close();
  }
}

const docOf = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

/** File and companion are the newest version, the ring is the ones before it, none twice and none left out. */
async function wrongVersions(store: Store, file: string): Promise<string[]> {
  const kept = (await keptVersions(store, identityOf(file).session)).filter(({ isGivenUp }) => !isGivenUp);
  const [newest] = kept;
  const texts = kept.map((version) => version.file).filter((text, i, all) => text !== all[i - 1]);
  const ring = BACKUP_SUFFIXES.map((suffix) => textOf(file + suffix));
  return [
    ...(newest?.isSettled ? [] : ["the newest version is not settled"]),
    ...(newest?.file === textOf(file) ? [] : ["the file is not the newest version"]),
    ...(newest?.handoff === textOf(handoffOf(file)) ? [] : ["the companion is not the newest version's"]),
    ...ring.flatMap((text, i) => (text === (texts[i + 1] ?? null) ? [] : [`${BACKUP_SUFFIXES[i]} is wrong`])),
  ];
}

export function disagreements(file: string): string[] {
  const doc = docOf(file);
  const handoff = existsSync(handoffOf(file)) ? readHandoff(readFileSync(handoffOf(file), "utf8")) : null;
  const agree = handoff?.updatedMs === timeOf(own(doc, "updated"));
  const findings = validateFiles([file], { clock: systemClock }).filter(({ rule }) => !MAY_BE.has(rule));
  return [
    ...(agree ? [] : ["state and handoff disagree"]),
    ...findings.map(({ rule, path, message }) => `${rule} ${path} ${message}`),
  ];
}

/** The sweep works on the steps in any order, and a killed owner's claim grows stale: both are as they should be. */
const MAY_BE: ReadonlySet<string> = new Set(["gap", "stale-claim", "current-step"]);

function lostOf(file: string, lines: readonly Line[]): string[] {
  const keys = decisionsIn(docOf(file)).map((decision) => decision?.key);
  const made = (kind: Line["k"]): string[] =>
    lines.flatMap(({ k, op, key }) => (k === kind && op === "decide" && key !== undefined ? [key] : []));
  const acknowledged = new Set(made("ack"));
  return made("intent").flatMap((key) => {
    const times = keys.filter((one) => one === key).length;
    const isRight = times === 1 || (times === 0 && !acknowledged.has(key));
    return isRight ? [] : [`the decision ${key} is there ${times} times`];
  });
}

/** The file's claims are the store's: same owner, a token of the same attempt, and no attempt below one acknowledged. */
async function wrongClaims(store: Store, file: string, lines: readonly Line[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { spec, body } of stepsIn(docOf(file), ORIGINAL_WORKFLOW)) {
    const row = await store.session(identityOf(file).stepSession(spec.id));
    const claim = objectOf(own(body, "claim"));
    const [owner, token] = [own(claim, "owner_id") ?? null, own(claim, "attempt_token") ?? null];
    const attempts = lines.flatMap(({ k, step, attempt }) =>
      k === "ack" && step === spec.id && typeof attempt === "number" ? [attempt] : [],
    );
    if (attempts.some((attempt, i) => attempt < (attempts[i - 1] ?? 0)))
      wrong.push(`step ${spec.id}: attempts went back: ${attempts}`);
    if ((row?.claim.attempt ?? 0) < (attempts.at(-1) ?? 0))
      wrong.push(`step ${spec.id}: the store has forgotten attempt ${attempts.at(-1)}`);
    // A claim that was taken just before a kill is in the store alone; the next command on the step writes it down.
    if (owner === null) continue;
    if (row?.claim.owner?.instance !== owner)
      wrong.push(`step ${spec.id}: the file says ${owner}, the store not`);
    if (Number.parseInt(String(token), 16) !== row?.claim.attempt)
      wrong.push(`step ${spec.id}: token ${token} is not of attempt ${row?.claim.attempt}`);
  }
  return wrong;
}

/**
 * `uninstall`: every file that `init` changed is given back: the very bytes where nobody touched it since, else only our entries are taken
 * out. What was put there without a note (a ledger that is lost, settings copied from elsewhere) goes by the same tables. What was recorded
 * stays, and is said; `purge.ts` is about that.
 */
import { existsSync } from "node:fs";
import { recorderPath } from "../../agents/install/commands.ts";
import { type LedgerNote, openLedger } from "../../agents/install/ledger.ts";
import { type PlannedFile, planRemoval, planStrip } from "../../agents/install/plan-file.ts";
import { SHELLS, shellFile, shellForm } from "../../agents/install/shell-lines.ts";
import { AGENTS } from "../../agents/registry.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { InstallPlace } from "../../agents/words/install.ts";
import { RefloatError } from "../../model/errors.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { applyFile, type RefusedFile, removeRecorder, tidyAfter } from "./install-files.ts";
import { hasLedger, type InstallTurn, inTurn, looked } from "./install-turn.ts";
import { assertMayPurge, type KeptThings, keptThings, purge } from "./purge.ts";

export interface UninstallOrder {
  readonly purge: boolean;
  /** With `purge`: unsettled work goes, too. */
  readonly dropUnsettled: boolean;
  readonly isDryRun: boolean;
  readonly ask: (plan: UninstallPlan) => Promise<"yes" | "no">;
}

export interface UninstallPlan {
  readonly home: string;
  readonly files: readonly PlannedFile[];
  readonly hasRecorder: boolean;
  readonly kept: KeptThings;
  /** What is kept goes, too. */
  readonly purge: boolean;
}

export type EndedUninstall =
  | { readonly kind: "planned" | "nothing" | "declined"; readonly plan: UninstallPlan }
  /** `left`: what lies in the store's folder and is not ours, after a purge. */
  | {
      readonly kind: "done";
      readonly plan: UninstallPlan;
      readonly refused: readonly RefusedFile[];
      readonly left: readonly string[];
    };

export async function uninstall(at: AppPlace, order: UninstallOrder): Promise<EndedUninstall> {
  const home = await at.home();
  const plan = await looked(at.clock, home, () => planUninstall(at, order));
  if (isNothing(plan)) {
    if (!order.isDryRun && hasLedger(home)) await tidyUp(at, home);
    return { kind: "nothing", plan };
  }
  if (order.purge) assertMayPurge(plan.kept, order.dropUnsettled);
  if (order.isDryRun) return { kind: "planned", plan };
  await assertNotJudged(at.env, null, "take hooks out");
  if ((await order.ask(plan)) === "no") return { kind: "declined", plan };
  return inTurn(at.clock, home, async (turn) => {
    const now = await planUninstall(at, order);
    const refused = apply(now);
    // While a file still calls the recorder, it stays: an agent would complain at every call.
    if (refused.length === 0) leaveEmpty(home, turn);
    const left = order.purge && refused.length === 0 ? await purge(at, home) : [];
    return { kind: "done", plan: now, refused, left };
  });
}

/** What a killed one left, and nobody calls. A disk that is full or may not be written costs this alone: there was nothing to do (D6). */
async function tidyUp({ clock }: AppPlace, home: string): Promise<void> {
  try {
    await inTurn(clock, home, async (turn) => leaveEmpty(home, turn));
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}

function leaveEmpty(home: string, turn: InstallTurn): void {
  const made = removeRecorder(home);
  turn.leave(made);
}

interface NotedPlan extends UninstallPlan {
  /** Of the first of its files. */
  readonly notes: readonly LedgerNote[];
}

async function planUninstall(at: AppPlace, { purge: isPurged }: UninstallOrder): Promise<NotedPlan> {
  const home = await at.home();
  const ledger = openLedger(home);
  const notes = ledger.notes().toSorted((a, b) => (a.path < b.path ? -1 : 1));
  // Damaged, it is said before anything is given back.
  ledger.folders();
  const planned = notes.map((note) => planRemoval(note, ledger));
  const files = [...planned, ...strayFiles(at, new Set(notes.map(({ target }) => target)))];
  const kept = await keptThings(at, home, isPurged);
  const hasRecorder = existsSync(recorderPath(home));
  return { home, files, hasRecorder, kept, purge: isPurged, notes };
}

const isNothing = ({ notes, files, hasRecorder, purge: isPurged, kept }: NotedPlan): boolean =>
  notes.length === 0 && files.length === 0 && !hasRecorder && (!isPurged || kept.isNothing);

function apply({ files, home, notes }: NotedPlan): readonly RefusedFile[] {
  const ledger = openLedger(home);
  return files.flatMap((file, at) => {
    if (file.kind === "refused") return [{ path: file.path, why: file.why }];
    const refused = file.kind === "change" ? applyFile(file) : [];
    const note = notes[at];
    if (refused.length > 0 || note === undefined) return refused;
    tidyAfter(note);
    ledger.forget(note);
    return [];
  });
}

/** The user's own files with entries of ours that no note is about. */
function strayFiles(at: AppPlace, noted: ReadonlySet<string>): readonly PlannedFile[] {
  const where = agentHome(at.env);
  const place: InstallPlace = {
    ...{ where, root: where.home, scope: "user", server: ["refloat", "mcp"] },
    command: () => "",
    ownFile: () => "",
  };
  const agents = AGENTS.flatMap(({ name, install }) =>
    (install?.files(place) ?? []).map((file) => planStrip(file, { agent: name, scope: "user" })),
  );
  const shells = SHELLS.map((shell) =>
    planStrip(
      {
        path: shellFile(shell, where),
        form: shellForm(shell, { program: "refloat", home: "", agents: [] }),
        what: "",
      },
      { agent: shell, scope: "shell" },
    ),
  );
  return [...agents, ...shells].flatMap((file) =>
    file?.kind === "change" && !noted.has(file.change.target) ? [file] : [],
  );
}

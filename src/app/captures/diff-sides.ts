/** The two sides of a comparison: a capture, HEAD, now. */
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { findCapture, newestCaptures } from "../../workspace/captures/captures.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import { type CompareSide, nowSide } from "../../workspace/compare/sides.ts";
import { readHead } from "../../workspace/git/head.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import { captureRows } from "../sessions/capture-rows.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface ChosenSide {
  readonly side: CompareSide;
  readonly taken: TakenCapture | null;
}

export interface SideChoice {
  readonly clock: Clock;
  /** How a capture is called where sides are named. */
  readonly captureName: (id: string) => string;
  readonly here: WorkspaceHere;
  readonly store: RefloatStore | null;
  readonly rows: readonly SessionRow[];
}

/** Left out: the newest capture, or HEAD where there is none. */
export async function fromSide(choice: SideChoice, typed: string | null): Promise<ChosenSide> {
  if (typed === "HEAD") return headSide(choice);
  if (typed !== null) return capturedSide(choice, typed);
  const newest = choice.store ? (await newestCaptures(choice.store.raw, choice.rows, 1))[0] : undefined;
  return newest ? taken(choice, newest) : headSide(choice);
}

export async function toSide(
  choice: SideChoice,
  typed: string | null,
  from: ChosenSide,
): Promise<ChosenSide> {
  if (typed === "HEAD") return headSide(choice);
  if (typed !== null && typed !== "now") return capturedSide(choice, typed);
  const { here, clock } = choice;
  const named = from.side.reading?.entries.map(({ path }) => path) ?? [];
  const side = await nowSide(here.workspace, named, { env: here.env, clock });
  return { side, taken: null };
}

async function headSide({ here }: SideChoice): Promise<ChosenSide> {
  const { workspace } = here;
  if (workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", {
      path: workspace.root,
      why: "there is no HEAD; take a capture first",
    });
  const head = await readHead(await workspace.repository());
  return { side: { label: "HEAD", reading: null, headId: head.id }, taken: null };
}

async function capturedSide(choice: SideChoice, typed: string): Promise<ChosenSide> {
  const { store, here, rows } = choice;
  if (!store) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  return taken(choice, await findCapture(store.raw, await captureRows(store, here, rows), typed));
}

function taken({ captureName }: SideChoice, found: TakenCapture): ChosenSide {
  const { capture, id } = found;
  const side = {
    label: `capture ${captureName(id)}`,
    reading: readingOf(capture),
    headId: capture.head?.id ?? null,
  };
  return { side, taken: found };
}

/** The two sides of a diff as somebody types them: a capture, HEAD, now. */

import type { Context } from "../../cli/context/context.ts";
import { usage } from "../../cli/grammar/options.ts";
import { shortId } from "../../cli/screen/short-id.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { findCapture, newestCaptures } from "../../workspace/captures/captures.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import type { CompareSide } from "../../workspace/compare/sides.ts";
import { nowSide } from "../../workspace/compare/sides.ts";
import { readHead } from "../../workspace/git/head.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { captureRows } from "./capture-rows.ts";

export interface ChosenSide {
  readonly side: CompareSide;
  readonly taken: TakenCapture | null;
}

export interface SideChoice {
  readonly context: Context;
  readonly here: WorkspaceHere;
  readonly store: RefloatStore | null;
  readonly rows: readonly SessionRow[];
}

/** Left out: the newest capture, or HEAD where there is none. */
export async function fromSide(choice: SideChoice, typed: string | null): Promise<ChosenSide> {
  if (typed === "now") throw usage("now is where a diff leads to: refloat diff HEAD now.");
  if (typed === "HEAD") return headSide(choice);
  if (typed !== null) return capturedSide(choice, typed);
  const newest = choice.store ? (await newestCaptures(choice.store.raw, choice.rows, 1))[0] : undefined;
  return newest ? taken(newest) : headSide(choice);
}

export async function toSide(
  choice: SideChoice,
  typed: string | null,
  from: ChosenSide,
): Promise<ChosenSide> {
  if (typed === "HEAD") return headSide(choice);
  if (typed !== null && typed !== "now") return capturedSide(choice, typed);
  const { here, context } = choice;
  const named = from.side.reading?.entries.map(({ path }) => path) ?? [];
  const side = await nowSide(here.workspace, named, { env: here.env, clock: context.clock });
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

async function capturedSide({ store, here, rows }: SideChoice, typed: string): Promise<ChosenSide> {
  if (!store) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  return taken(await findCapture(store.raw, await captureRows(store, here, rows), typed));
}

function taken(found: TakenCapture): ChosenSide {
  const { capture, id } = found;
  const side = {
    label: `capture ${shortId(id)}`,
    reading: readingOf(capture),
    headId: capture.head?.id ?? null,
  };
  return { side, taken: found };
}

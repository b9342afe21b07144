/** `parked`: what was taken out of this tree and is kept under a name. Reads only. */

import { parkedInReach } from "../../../app/acts/parked.ts";
import { showOpen } from "../../../app/acts/show-open.ts";
import { type ParkedRow, parkedJson, parkedRows } from "../../../app/acts/told-parked.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";
import { reasonLines } from "../manifest/groups-lines.ts";

const MAX_PATHS = 4;

export async function run(context: Context): Promise<CommandEnd> {
  const store = await context.findStore();
  const { workspace } = await workspaceHere(context, store);
  await showOpen(store?.raw ?? null, workspace, teller(context));
  const found = store ? await parkedInReach(store.raw, workspace) : { parked: [], plans: [] };
  const parked = await parkedRows(found);
  await context.out.result({
    command: "parked",
    json: { workspace: workspace.root, parked: parked.map(parkedJson) },
    text: () =>
      parked.length > 0 ? parked.flatMap((one) => lines(context, one)) : ["Nothing is parked here."],
  });
  return EXIT.done;
}

function lines(context: Context, { name, atMs, note, why, reasons, puts, from }: ParkedRow): string[] {
  const { columns, style } = context.out;
  const { bold, dim } = style;
  const paths = puts.map(({ path }) => shownPath(path));
  const more = paths.length - MAX_PATHS;
  const [first] = reasons;
  return [
    `${bold(name)}  ${count(paths.length, "path")}  ${dim(agoText(atMs, context.clock.nowMs()))}`,
    ...(note === null ? [] : hanging(`  ${oneLine(note)}`, "  ", columns)),
    ...paths.slice(0, MAX_PATHS).flatMap((path) => hanging(`  ${path}`, "      ", columns)),
    ...(more > 0 ? [dim(`  and ${count(more, "more", "more")}`)] : []),
    ...(first
      ? reasonLines({ style, columns, isAll: false }, first, Number.POSITIVE_INFINITY)
      : why === null
        ? []
        : hanging(`  - ${oneLine(why)}`, "    ", columns).map(dim)),
    ...(from === null
      ? []
      : hanging(`  parked in another tree, ${oneLine(from)}; it comes back into this one`, "  ", columns).map(
          dim,
        )),
    dim(context.out.typed(`  brought back by: refloat unpark ${shellLineWord(name)}`)),
  ];
}

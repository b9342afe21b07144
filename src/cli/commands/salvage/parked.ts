/** `parked`: what was taken out of this tree and is kept under a name. Reads only. */

import type { ParkedChanges } from "../../../acts/plans/parked.ts";
import { showOpen } from "../../../app/acts/finish-open.ts";
import { parkedInReach } from "../../../app/acts/parked.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { pathJson } from "../../../model/path-name.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";

const MAX_PATHS = 4;

export async function run(context: Context): Promise<CommandEnd> {
  const store = await context.findStore();
  const { workspace } = await workspaceHere(context, store);
  await showOpen(store?.raw ?? null, workspace, teller(context));
  const found = store ? await parkedInReach(store.raw, workspace) : { parked: [], plans: [] };
  // What was written about it, and what the judge quoted (T4); paths and bytes stay what they are.
  const { value: words } = await withoutSecrets(found.parked.map(({ note, why }) => ({ note, why })));
  const elsewhere = new Map(found.plans.filter(isOfOtherTree).map(({ id, path }) => [id, path]));
  const parked = found.parked.map((one, i) => ({
    ...one,
    ...words[i],
    from: elsewhere.get(one.plan) ?? null,
  }));
  await context.out.result({
    command: "parked",
    json: { workspace: workspace.root, parked: parked.map(parkedJson) },
    text: () =>
      parked.length > 0 ? parked.flatMap((one) => lines(context, one)) : ["Nothing is parked here."],
  });
  return EXIT.done;
}

/** It lay in another tree than this: at its path, or elsewhere. */
interface ParkedRow extends ParkedChanges {
  readonly from: string | null;
}

const isOfOtherTree = (plan: { readonly isOfOtherTree: boolean }): boolean => plan.isOfOtherTree;

const parkedJson = ({
  name,
  plan,
  session,
  atMs,
  note,
  verdict,
  why,
  puts,
  from,
}: ParkedRow): Record<string, unknown> => ({
  name,
  plan,
  session,
  at: new Date(atMs).toISOString(),
  note,
  verdict,
  why,
  paths: puts.map(({ path }) => pathJson(path)),
  ...(from === null ? {} : { from }),
});

function lines(context: Context, { name, atMs, note, why, puts, from }: ParkedRow): string[] {
  const { columns, style } = context.out;
  const { bold, dim } = style;
  const paths = puts.map(({ path }) => shownPath(path));
  const more = paths.length - MAX_PATHS;
  return [
    `${bold(name)}  ${count(paths.length, "path")}  ${dim(agoText(atMs, context.clock.nowMs()))}`,
    ...(note === null ? [] : hanging(`  ${oneLine(note)}`, "  ", columns)),
    ...paths.slice(0, MAX_PATHS).flatMap((path) => hanging(`  ${path}`, "      ", columns)),
    ...(more > 0 ? [dim(`  and ${count(more, "more", "more")}`)] : []),
    ...(why === null ? [] : hanging(`  - ${oneLine(why)}`, "    ", columns).map(dim)),
    ...(from === null
      ? []
      : hanging(`  parked in another tree, ${oneLine(from)}; it comes back into this one`, "  ", columns).map(
          dim,
        )),
    dim(context.out.typed(`  brought back by: refloat unpark ${shellLineWord(name)}`)),
  ];
}

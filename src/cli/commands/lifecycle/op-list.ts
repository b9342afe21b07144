/** `op list`: the operations of this workspace's sessions, open ones first. Reads only. */

import { sessionsHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import { type ListedOperation, operationsOf } from "../../../workspace/sessions/operations.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import type { CommandInput } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine } from "../../screen/words.ts";

/** Rows on a screen; JSON has them all. */
const MAX_SHOWN = 50;

export async function run(context: Context, _input: CommandInput): Promise<CommandEnd> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  const found: ListedOperation[] = [];
  for (const row of store ? await sessionsHere(store, here) : [])
    found.push(...(store ? await operationsOf(store.raw, row.id) : []));
  const { value: labels } = await withoutSecrets(found.map(({ label }) => label));
  const said = found.map((operation, i) => ({ ...operation, label: labels[i] ?? "" }));
  const operations = said.toSorted(
    (a, b) => Number(b.state === "open") - Number(a.state === "open") || b.at.localeCompare(a.at),
  );
  await context.out.result({
    command: "op-list",
    json: { workspace: here.workspace.root, operations },
    text: () => (operations.length === 0 ? ["No operations here."] : lines(context, operations)),
  });
  return EXIT.done;
}

function lines(context: Context, operations: readonly ListedOperation[]): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const ids = operations.map(({ session }) => session);
  return tableLines(
    [
      { title: "STATE", paint: (text) => (text.trim() === "open" ? style.yellow(text) : text) },
      { title: "LABEL", shrinkTo: 12, paint: style.bold },
      { title: "PATHS", shrinkTo: 8 },
      { title: "SESSION", shrinkTo: 8 },
      { title: "BEGAN" },
    ],
    operations
      .slice(0, MAX_SHOWN)
      .map(({ state, label, paths, session, at }) => [
        state,
        oneLine(label),
        paths === null ? "-" : oneLine(paths.join(" ")),
        shortId(session, ids),
        agoText(Date.parse(at), nowMs),
      ]),
    columns,
    style.dim,
  );
}

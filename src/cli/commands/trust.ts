/** `trust`: shows the filters that came with this repository and, told to, lets exactly these run. */
import { RefloatError } from "../../model/errors.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { judgedSession } from "../../workspace/judged-session.ts";
import { recordTrust } from "../../workspace/trust.ts";
import type { Ending } from "../command-spec.ts";
import { confirmed, type Plan } from "../confirm.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, isSet } from "../options.ts";
import { oneLine } from "../words.ts";
import { workspaceHere } from "../workspace-here.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const known = await context.findStore();
  const session = await judgedSession(process.env, known?.raw ?? null);
  if (session !== null) throw new RefloatError("E_UNDER_MARK", { session, what: "trust a repository" });
  const { workspace } = await workspaceHere(context, known);
  if (workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there are no filters to trust" });
  const repository = await workspace.repository();
  const trusted = !isSet(input, "revoke");
  const isSo = repository.filters.length > 0 && (repository.untrustedFilters.length === 0) === trusted;
  const plan = planOf(repository, trusted, isSo);
  if (isSet(input, "dryRun") || isSo || repository.filterDigest === null) return tell(context, plan, isSo);
  if (!(await confirmed(context, plan))) {
    await context.out.result({ ...result(plan, false), text: () => ["Nothing was changed."] });
    return EXIT.failed;
  }
  const store = await context.openOrMakeStore();
  await recordTrust(store.raw, repository, repository.filterDigest, { trusted });
  await context.out.result({
    ...result(plan, true),
    text: () => [
      trusted ? "Trusted. A change of these filters voids it." : "Taken back: they do not run any more.",
    ],
  });
  return EXIT.done;
}

function planOf({ filters, root, filterDigest }: Repository, trusted: boolean, isSo: boolean): Plan {
  const shown = filters.map(({ key, value, origin }) => ({ key, value: value ?? "true", origin }));
  const words = trusted ? "Let these programs of the repository run" : "No longer run these programs";
  return {
    json: { repository: root, trusted, digest: filterDigest, filters: shown },
    text: () => [
      filters.length === 0
        ? "This repository brings no filters: there is nothing to trust."
        : isSo
          ? `That is so already: its filters are ${trusted ? "trusted" : "not trusted"}.`
          : `${words}, with your rights, whenever refloat reads its files:`,
      ...shown.map(
        ({ key, value, origin }) => `  ${oneLine(key)} = ${oneLine(value)}   (${oneLine(origin)})`,
      ),
    ],
  };
}

const result = (plan: Plan, done: boolean) => ({ command: "trust", json: { plan: plan.json, done } });

async function tell(context: Context, plan: Plan, done: boolean): Promise<Ending> {
  await context.out.result({ ...result(plan, done), text: plan.text });
  return EXIT.done;
}

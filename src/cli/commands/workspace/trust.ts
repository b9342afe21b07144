/** `trust`: shows what a repository brings that refloat would run (filters, commands of its config) and, told to, lets exactly that run. */

import { type BroughtPrograms, trust } from "../../../app/trust/trust.ts";
import type { CommandKey } from "../../../workspace/trust/trust.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const trusted = !isSet(input, "revoke");
  const { kind, ...brought } = await trust(context, trusted, {
    isDryRun: isSet(input, "dryRun"),
    ask: async (asked) => ((await confirmed(context, planOf(asked, trusted, false))) ? "yes" : "no"),
    tell: teller(context),
  });
  const plan = planOf(brought, trusted, kind === "already");
  const text = {
    planned: plan.text,
    nothing: plan.text,
    already: plan.text,
    declined: () => ["Nothing was changed."],
    done: () => [
      trusted ? "Trusted. A change of its text voids it." : "Taken back: that does not run any more.",
    ],
  }[kind];
  const done = kind === "done" || kind === "already";
  await context.out.result({ command: "trust", json: { plan: plan.json, done }, text });
  return kind === "declined" ? EXIT.failed : EXIT.done;
}

const WHEN: Readonly<Record<CommandKey, string>> = {
  verify: "the check of a session's work",
  notify: "told the news of a loop",
};

function planOf({ repository, commands }: BroughtPrograms, trusted: boolean, isSo: boolean): ShownPlan {
  const { filters, root, filterDigest } = repository;
  const shown = filters.map(({ key, value, origin }) => ({ key, value: value ?? "true", origin }));
  const named = commands.map(({ key, value, origin }) => ({ key, value, origin }));
  const words = trusted ? "Let these programs of the repository run" : "No longer run these programs";
  const line = ({ key, value, origin }: (typeof shown)[number], when: string): string[] => [
    `  ${oneLine(key)} = ${oneLine(value)}`,
    `    ${oneLine(origin)}; ${when}`,
  ];
  return {
    json: { repository: root, trusted, digest: filterDigest, filters: shown, commands: named },
    text: () => [
      shown.length + named.length === 0
        ? "This repository brings nothing that would run: there is nothing to trust."
        : isSo
          ? `That is so already: what it brings is ${trusted ? "trusted" : "not trusted"}.`
          : `${words}, with your rights:`,
      ...shown.flatMap((one) => line(one, "whenever refloat reads its files")),
      ...named.flatMap((one) => line(one, WHEN[one.key])),
    ],
  };
}

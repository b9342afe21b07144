/** An exit code says that a process ended, not that the work did (L7). */

import { isWitness } from "../links/operations.ts";
import { needsWord, needsWordOfItsOwn } from "../links/self-contained.ts";
import { closingOf } from "./evidence/closings.ts";
import type { GroupView } from "./evidence/group-view.ts";
import { found, naming, type Rule, type RuleFinding } from "./rule.ts";

/** What would tell; the command for it is among the next ones. */
const REMEDY = "A check would tell: --verify.";

export const noEvidenceRule = {
  slug: "no-evidence",
  weight: "note",
  voids: "word",
  remedy: REMEDY,
  about:
    "Nobody said that it is done: all that is known of the end is that the agent's process exited with 0, and there is code or configuration in it.",
  detail:
    "An ended operation, the agent's own end record or the user's check says so. Also said, with other words, where nothing at all speaks for or against a group.",
  check: (view) => {
    const rest = needsWord(view);
    const bare = rest.filter((member) => needsWordOfItsOwn(member, view.classes));
    const [first] = bare;
    if (!first || closingOf(view, rest)?.by !== "exit") return [];
    const message = `Nobody said that ${naming(bare.length, first.path, "is", "are")} done: its agent only exited with 0. ${REMEDY}`;
    return [
      found(
        message,
        bare,
        bare.map(({ path }) => `${path}: no ended operation, no end record`),
      ),
    ];
  },
} as const satisfies Rule;

/** Said of a group that nothing else is said of. */
export function nothingSpeaks({ members, references, operations }: GroupView): RuleFinding {
  const passing = operations.find((operation) => !isWitness(operation));
  const said = found(
    passing === undefined
      ? "Nothing speaks against it, and nothing shows that it is whole."
      : `The END of "${passing.label}" was only read in what the agent printed, while it went on: nothing shows what was there by then. For \`refloat op end\` it waits.`,
    members,
    members.map(({ path, after }) => {
      const why = after?.parse.kind === "unparsed" ? `: ${after.parse.why}` : "";
      return `${path}${why}`;
    }),
  );
  return { ...said, evidence: [...references.unfollowed, ...said.evidence] };
}

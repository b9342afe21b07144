import type { BrokenReference } from "../links/references/broken-reference.ts";
import { found, type Rule } from "./rule.ts";

export const unseenNameRule = {
  slug: "unseen-name",
  weight: "note",
  voids: "word",
  about:
    "Something came to want a name of a file that does not even mention it, came to try a file that is not there, names one that was not there before either, came to name one in a manifest that is not there and that no build seems to make, came to name one in a way that cannot be followed here, or came to want types of a source that has none.",
  detail:
    "JavaScript and TypeScript, where what a file gives cannot be read off: it may come by inheritance or from another file, so it is not called missing. Also where an alias (`@/a`, `#a`) or a package of the workspace could not be followed, or only by a guess at what a build means by it.",
  check: ({ references, members }) => {
    const unseen = references.broken.filter(({ kind }) => kind === "unseen-name" || kind === "untyped");
    const [first] = unseen;
    if (!first) return [];
    const evidence = unseen.map((one) => `${one.from}:${one.line} ${wantOf(one).what}`);
    const { what, why } = wantOf(first);
    return [found(`${first.from} ${what}, ${why}.`, members, evidence)];
  },
} as const satisfies Rule;

function wantOf({ kind, specifier, names }: BrokenReference): { what: string; why: string } {
  if (kind === "untyped") return { what: `wants types of ${specifier}`, why: "which has none" };
  return names.length > 0
    ? { what: `wants ${names.join(", ")} of ${specifier}`, why: "which does not mention it" }
    : { what: `looks for ${specifier}`, why: "which is not there" };
}

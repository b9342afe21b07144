import { found, type Rule } from "../rule.ts";

export const unseenNameRule = {
  slug: "unseen-name",
  weight: "note",
  about:
    "Something came to want a name of a file that does not even mention it, or came to try a file that is not there.",
  detail:
    "JavaScript and TypeScript, where what a file gives cannot be read off: it may come by inheritance or from another file, so it is not called missing.",
  check: ({ references, members }) => {
    const unseen = references.broken.filter(({ kind }) => kind === "unseen-name");
    const [first] = unseen;
    if (!first) return [];
    const evidence = unseen.map(({ from, line, specifier, names }) =>
      names.length > 0
        ? `${from}:${line} wants ${names.join(", ")} of ${specifier}`
        : `${from}:${line} tries ${specifier}`,
    );
    const message =
      first.names.length > 0
        ? `${first.from} wants ${first.names.join(", ")} of ${first.specifier}, which does not mention it.`
        : `${first.from} tries ${first.specifier}, which is not there.`;
    return [found(message, members, evidence)];
  },
} as const satisfies Rule;

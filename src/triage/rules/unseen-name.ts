import { found, type Rule } from "../rule.ts";

export const unseenNameRule = {
  slug: "unseen-name",
  weight: "note",
  about: "Something came to want a name of a file that does not even mention it.",
  detail:
    "JavaScript and TypeScript, where what a file gives cannot be read off: it may come by inheritance or from another file, so it is not called missing.",
  check: ({ references, members }) => {
    const unseen = references.broken.filter(({ kind }) => kind === "unseen-name");
    const [first] = unseen;
    if (!first) return [];
    const evidence = unseen.map(
      ({ from, line, specifier, names }) => `${from}:${line} wants ${names.join(", ")} of ${specifier}`,
    );
    const message = `${first.from} wants ${first.names.join(", ")} of ${first.specifier}, which does not mention it.`;
    return [found(message, members, evidence)];
  },
} as const satisfies Rule;

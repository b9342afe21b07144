import { found, naming, type Rule } from "./rule.ts";

export const unseenCallRule = {
  slug: "unseen-call",
  weight: "note",
  voids: "check",
  about:
    "A file came to call something by a name that nothing here has: as when a method is yet to be written.",
  detail:
    "JavaScript and TypeScript, in files that take something of the workspace. Not on packages, builtins and globals, nor on what they give. By name: a source that only mentions it counts as having it.",
  check: ({ unseenCalls }) => {
    const [first] = unseenCalls;
    if (!first) return [];
    return [
      found(
        `${naming(unseenCalls.length, first.member.path, "calls", "call")} what nothing here has.`,
        unseenCalls.map(({ member }) => member),
        unseenCalls.flatMap(({ member, names }) => names.map((name) => `${member.path}: .${name}()`)),
      ),
    ];
  },
} as const satisfies Rule;

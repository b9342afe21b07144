import { LOCKFILES } from "../facts/manifests/manifest-kinds.ts";
import { found, type Rule } from "./rule.ts";

export const lockfileRule = {
  slug: "lockfile",
  weight: "risky",
  about: "A manifest's dependencies changed without its lockfile, or the reverse, or the two do not agree.",
  detail: Object.entries(LOCKFILES)
    .map(([manifest, locks]) => `${manifest}: ${locks.join(", ")}`)
    .join("; "),
  check: ({ locks }) => locks.map(({ message, members, evidence }) => found(message, members, evidence)),
} as const satisfies Rule;

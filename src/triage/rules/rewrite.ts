import { isLockfile } from "../facts/manifests/manifest-kinds.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

/** From the first seed's cases: a Makefile rewritten, 248 of 249 lines lost. */
const REWRITE_SHARE = 0.6;
/** Of a shorter file most is replaced by any edit. */
const REWRITE_MIN_LINES = 10;

export const rewriteRule = {
  slug: "rewrite",
  weight: "risky",
  about: "Most of a file was replaced or lost.",
  detail: `At least ${REWRITE_SHARE * 100} % of at least ${REWRITE_MIN_LINES} lines. Not lockfiles that close themselves (JSON): \`lockfile\` judges those; not a workflow's state, its ring and its handoff.`,
  check: (view) =>
    aboutEach(
      view,
      ({ path, delta, before, after }) => {
        if (!before || !after || !delta || delta.linesBefore < REWRITE_MIN_LINES) return null;
        // Programs write these whole; that it is whole its parser says, and that it is right `lockfile`.
        if (isLockfile(path) && after.language === "json") return null;
        // These, too: each is another version of one document, whole by its schema.
        if (after.workflow !== null) return null;
        if (delta.gone < REWRITE_SHARE * delta.linesBefore) return null;
        return `${path}: ${delta.gone} of ${delta.linesBefore} lines are gone, ${delta.added} came`;
      },
      (count, first) => `Most of ${naming(count, first)} was replaced or lost.`,
    ),
} as const satisfies Rule;

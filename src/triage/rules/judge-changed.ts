import { JUDGE_GLOBS } from "../facts/paths/path-rules.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

export const judgeChangedRule = {
  slug: "judge-changed",
  weight: "risky",
  about: "The group changes what judges it: refloat.json, a hook, or the script of the user's check.",
  detail:
    "Also the folder of core.hooksPath and what `verify` runs. Rules are always taken from before the session (T2).",
  globs: JUDGE_GLOBS,
  check: (view) =>
    aboutEach(
      view,
      ({ path }) => (view.classes.isJudge(path) ? path : null),
      (count, first) => `${naming(count, first, "decides", "decide")} what counts as sound, and changed.`,
    ),
} as const satisfies Rule;

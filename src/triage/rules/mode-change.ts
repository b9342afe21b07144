import { aboutEach, naming, type Rule } from "../rule.ts";

const EXECUTABLE = 0o111;

export const modeChangeRule = {
  slug: "mode-change",
  weight: "risky",
  about: "A file became executable, or no longer is.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, change: { from, to } }) => {
        if (from?.kind !== "file" || to?.kind !== "file") return null;
        const [was, is] = [(from.mode & EXECUTABLE) !== 0, (to.mode & EXECUTABLE) !== 0];
        return was === is ? null : `${path}: ${from.mode.toString(8)} became ${to.mode.toString(8)}`;
      },
      (count, first) => `The exec bit of ${naming(count, first)} changed.`,
    ),
} as const satisfies Rule;

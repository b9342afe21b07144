import { found, type Rule } from "./rule.ts";

export const openOperationRule = {
  slug: "open-operation",
  weight: "risky",
  isUnfinished: true,
  about: "It is part of an operation that never ended or was aborted.",
  check: ({ operations, members }) =>
    operations
      .filter(({ state }) => state !== "ended")
      .map(({ label, state, source }) => {
        const how = state === "aborted" ? "was aborted" : "was begun and never ended";
        const where = source === "text" ? " (a BEGIN line without its END)" : "";
        return found(`The operation "${label}" ${how}${where}.`, members, [`operation ${label}: ${state}`]);
      }),
} as const satisfies Rule;

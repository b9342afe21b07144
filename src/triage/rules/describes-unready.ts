import { workflowOf } from "../links/workflow-records.ts";
import { found, naming, type Rule } from "./rule.ts";

export const describesUnreadyRule = {
  slug: "describes-unready",
  weight: "note",
  voids: "all",
  about: "A workflow's state tells of files that are not safe to commit: it is committed with them, or left.",
  detail: "Artifacts of its steps that differ from HEAD, looked for from its folder upwards.",
  check: ({ members, described }) => {
    const unready = described.filter(({ isReady }) => !isReady);
    const [first] = unready;
    if (!first) return [];
    const records = members.filter((member) => workflowOf(member) !== null);
    const evidence = unready.map(({ path, verdict }) => `${path}: ${verdict}`);
    const message = `It tells of ${naming(unready.length, first.path)}, which is not safe to commit.`;
    return [found(message, records, evidence)];
  },
} as const satisfies Rule;

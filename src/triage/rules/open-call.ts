import { found, type Rule } from "./rule.ts";

export const openCallRule = {
  slug: "open-call",
  weight: "risky",
  isUnfinished: true,
  about: "It was written by, or while, a call was open that never had a result.",
  check: ({ members, calls }) => {
    const open = [...calls.values()].filter(({ endedSeq, mayWrite }) => endedSeq === null && mayWrite);
    return open.flatMap(({ id, tool, startedSeq }) => {
      const touched = members.filter(({ fact }) =>
        fact.writes.some((write) => write.call === id || (write.call === null && write.toSeq > startedSeq)),
      );
      if (touched.length === 0) return [];
      return [found(`The call ${tool} wrote it and never had a result.`, touched, [`call ${id} (${tool})`])];
    });
  },
} as const satisfies Rule;

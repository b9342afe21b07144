import { found, type Rule } from "./rule.ts";

export const secretRule = {
  slug: "secret",
  weight: "risky",
  about: "Text that looks like a secret was added.",
  detail: "The rules of redaction (SECURITY.md), on added lines. Where it is, is said; what it is, never.",
  check: ({ members }) =>
    members.flatMap((member) => {
      const secrets = member.delta?.secrets ?? [];
      if (secrets.length === 0) return [];
      const evidence = secrets.map((where) => `${member.path} ${where}`);
      return [found(`${member.path} has text added that looks like a secret.`, [member], evidence)];
    }),
} as const satisfies Rule;

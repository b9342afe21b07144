import { givesInWords, takesInWords } from "../facts/known/arguments.ts";
import type { GroupMember } from "../facts/member.ts";
import type { WrongCall } from "../links/references/wrong-calls.ts";
import { found, type Rule, type RuleFinding } from "./rule.ts";

export const wrongArgumentsRule = {
  slug: "wrong-arguments",
  weight: "risky",
  about:
    "A call gives a function other arguments than it takes, and did not before: in the group, or in an unchanged file that calls into it.",
  detail:
    "TypeScript, where it does not compile, and Python, where it fails: functions, classes and methods that are certainly meant, through modules that hand them on. Defaults, optional and rest parameters, overloads, spread and keyword arguments count as what they are.",
  check: ({ wrongCalls, members }) =>
    aboutCalls(
      wrongCalls.filter(({ isCertain }) => isCertain),
      members,
    ),
} as const satisfies Rule;

export const doubtfulArgumentsRule = {
  slug: "doubtful-arguments",
  weight: "note",
  voids: "check",
  about:
    "A call gives a function more or less than it takes, and did not before, where that is legal or may be meant.",
  detail:
    "JavaScript, where a parameter is needed that has no default and is nowhere asked whether it is there; below decorators that are not known; methods of Python called on `self`; modules that a build means by another name.",
  check: ({ wrongCalls, members }) =>
    aboutCalls(
      wrongCalls.filter(({ isCertain }) => !isCertain),
      members,
    ),
} as const satisfies Rule;

function aboutCalls(calls: readonly WrongCall[], members: readonly GroupMember[]): RuleFinding[] {
  const [first] = calls;
  if (!first) return [];
  const more = calls.length > 1 ? `, and ${calls.length - 1} more do not fit` : "";
  return [
    found(
      `${first.from} ${inWords(first)}${more}.`,
      members,
      calls.map((call) => `${call.from}${call.line === null ? "" : `:${call.line}`} ${inWords(call)}`),
    ),
  ];
}

const inWords = ({ name, gives, takes }: WrongCall): string =>
  `calls ${nameInWords(name)} with ${givesInWords(gives)}; it takes ${takesInWords(takes)}`;

/** `Class#method` as people write it. */
const nameInWords = (name: string): string => name.replace("#", ".");

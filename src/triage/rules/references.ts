/** Rules about what refers to what: files, names, calls and their arguments. */
import { givesInWords, takesInWords } from "../facts/known/arguments.ts";
import type { GroupMember } from "../facts/member.ts";
import { isMigrationPath } from "../links/migrations.ts";
import type { BrokenReference } from "../links/references/check-entries.ts";
import type { WrongCall } from "../links/references/wrong-calls.ts";
import { found, type Rule, type RuleFinding } from "./rule.ts";

export const missingFileRule = {
  slug: "missing-file",
  weight: "risky",
  remedy: "Bring that file, or take the line out.",
  about:
    "Something refers to a file that is not there: in the group, or in an unchanged file that named one of it.",
  detail:
    "Imports of JavaScript, TypeScript, Python, Go and Java, modules of Rust (`mod a;`), also by `paths` and `baseUrl` of a tsconfig.json, `imports` of a package.json, the module of a go.mod and names of packages of the workspace, the ways in that a package.json names, and files and modules that it, a pyproject.toml or a Cargo.toml names, where they were there or their folder is. Followed in HEAD with the group laid upon it.",
  check: ({ references, members }) => {
    const missing = references.broken.filter(({ kind }) => kind === "missing-file");
    const [first] = missing;
    if (!first) return [];
    const evidence = missing.map((one) => `${placeOf(one)} names ${one.specifier}`);
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
    const message = `${placeOf(first)} names ${first.specifier}${more}, which is not there.`;
    return [found(message, members, evidence)];
  },
} as const satisfies Rule;

export const missingExportRule = {
  slug: "missing-export",
  weight: "risky",
  remedy: "Define it there, or change the line that asks for it.",
  about: "Something needs a name from a file that does not have it: in the group, or in an unchanged file.",
  detail:
    "JavaScript, TypeScript and Python, also as members of what was taken whole, by aliases and through files that hand them on; Go: of the own package, in any file of its folder, of packages of the own module, and members of values whose type is plainly known (receivers, parameters, variables with a type or a literal) where all that the type has is written in its package; Rust: by `use` and by paths of the own crate, also by its name; Java: types of packages of the workspace and of the own one, and members of types that are written down, where neither the type nor what it extends has them. Names of a file whose exports cannot be read off (a macro makes items, all of another module is handed on) are never called missing.",
  check: ({ references, members }) => {
    const missing = references.broken.filter(({ kind }) => kind === "missing-export");
    const [first] = missing;
    if (!first) return [];
    const { what, why } = nameInWant(first, "which does not have it");
    return [
      found(
        `${placeOf(first)} ${what}, ${why}.`,
        members,
        missing.map((one) => `${placeOf(one)} ${nameInWant(one, "").what}`),
      ),
    ];
  },
} as const satisfies Rule;

export const wrongArgumentsRule = {
  slug: "wrong-arguments",
  weight: "risky",
  remedy: "Change the call, or what it calls.",
  about:
    "A call gives a function other arguments than it takes, and did not before: in the group, or in an unchanged file that calls into it.",
  detail:
    "TypeScript, where it does not compile, and Python, where it fails: functions, classes and methods that are certainly meant, through modules that hand them on; functions of Go that one file declares; functions of modules of Rust; constructors of Java, and methods of classes that extend nothing. Defaults, optional and rest parameters, overloads, spread and keyword arguments count as what they are.",
  check: ({ wrongCalls, members }) =>
    aboutCalls(
      wrongCalls.filter(({ isCertain }) => isCertain),
      members,
    ),
} as const satisfies Rule;

export const doubtfulArgumentsRule = {
  slug: "doubtful-arguments",
  weight: "note",
  remedy: "See whether that is meant.",
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
      `${placeOf(first)} ${inWords(first)}${more}.`,
      members,
      calls.map((call) => `${placeOf(call)} ${inWords(call)}`),
    ),
  ];
}

const inWords = ({ name, gives, takes }: WrongCall): string =>
  `calls ${nameInWords(name)} with ${givesInWords(gives)}; it takes ${takesInWords(takes)}`;

/** `Class#method` as people write it. */
const nameInWords = (name: string): string => name.replace("#", ".");

const MAX_SHOWN = 5;

export const looseNamesRule = {
  slug: "loose-names",
  weight: "note",
  remedy: "Define or import it, or take it out.",
  voids: "check",
  about:
    "A file uses a name that nothing defines, or defines one that nothing uses, and did not before: as when an end is missing.",
  detail:
    "JavaScript and TypeScript, also types, and names that are given and not declared; of Python names that nothing in the file binds, unless anything could (`from a import *`, `exec`, `globals()`), and unused imports, but in migrations, whose imports a program writes; of Go locals and imports that nothing uses; of Rust names that nothing brings, locals that stand below what names them, and methods that a trait of the file asks for. By name, and of Python by scope, so it errs towards saying nothing.",
  check: ({ members }) => {
    const loose = members.flatMap((member) => {
      const found = looseIn(member);
      return found === null ? [] : [{ member, ...found }];
    });
    const [first] = loose;
    if (!first) return [];
    const more = loose.length > 1 ? `; ${loose.length - 1} more like it` : "";
    return [
      found(
        `${placeOf(first)} ${first.said}${more}.`,
        loose.map(({ member }) => member),
        loose.map((one) => `${placeOf(one)}: ${one.said}`),
      ),
    ];
  },
} as const satisfies Rule;

function looseIn({ path, before, after }: GroupMember): (WantingPlace & { readonly said: string }) | null {
  const [was, is] = [before?.source, after?.source];
  if (!is) return null;
  const undefinedNow = fresh(is.undefinedNames, was?.undefinedNames);
  if (undefinedNow.length > 0) {
    const line = is.undefinedLines?.[is.undefinedNames.indexOf(undefinedNow[0] ?? "")] ?? null;
    return { from: path, line, said: `uses ${shown(undefinedNow)}, which nothing defines` };
  }
  const unusedNow = isMigrationPath(path) ? [] : fresh(is.unusedNames, was?.unusedNames);
  if (unusedNow.length === 0) return null;
  return { from: path, line: null, said: `brings in ${shown(unusedNow)}, which nothing uses` };
}

const fresh = (now: readonly string[], then: readonly string[] | undefined): string[] =>
  now.filter((name) => !then?.includes(name));

const shown = (names: readonly string[]): string => names.slice(0, MAX_SHOWN).join(", ");

export const unseenNameRule = {
  slug: "unseen-name",
  weight: "note",
  remedy: "See whether it is there; else write it.",
  voids: "word",
  about:
    "Something came to want a name of a file that does not even mention it, came to try a file that is not there, names one that was not there before either, came to name one in a manifest that is not there and that no build seems to make, came to name one in a way that cannot be followed here, or came to want types of a source that has none.",
  detail:
    "JavaScript and TypeScript, where what a file gives cannot be read off: it may come by inheritance or from another file, so it is not called missing. Also where an alias (`@/a`, `#a`) or a package of the workspace could not be followed, or only by a guess at what a build means by it. Of Go and Rust: a field or a method that went while something still reads it of a value, or an interface asks for it, and nothing near has one of its name; what a template in a text of Go came to read and nothing here has; what a package does not have that only the path of an import speaks of, where no go.mod says whose it is; of Python a method that went while an unchanged file still calls it of a value of the workspace's, and what is read of a value that is made of one class of the workspace which does not have it, where all that the class has is written down; of Rust what is read of `self`, `Self::` and a type of the crate that has neither it nor a trait, a derive or a macro that may bring it, and what another crate of the workspace does not have.",
  check: ({ references, members }) => {
    const unseen = references.broken.filter(({ kind }) => kind === "unseen-name" || kind === "untyped");
    const [first] = unseen;
    if (!first) return [];
    const evidence = unseen.map((one) => `${placeOf(one)} ${wantOf(one).what}`);
    const { what, why } = wantOf(first);
    return [found(`${placeOf(first)} ${what}, ${why}.`, members, evidence)];
  },
} as const satisfies Rule;

function wantOf(broken: BrokenReference): { what: string; why: string } {
  const { kind, specifier, names } = broken;
  if (kind === "untyped") return { what: `needs types from ${specifier}`, why: "which has none" };
  return names.length > 0
    ? nameInWant(broken, "which does not mention it")
    : { what: `looks for ${specifier}`, why: "which is not there" };
}

/** Where a person looks: the file, and the line where it is known. */
function placeOf({ from, line, specifier }: WantingPlace): string {
  // What is read of values is known by file alone.
  const isLineKnown = line !== null && !(line === 1 && (specifier === "#" || specifier === "."));
  return isLineKnown ? `${from}:${line}` : from;
}

interface WantingPlace {
  readonly from: string;
  readonly line: number | null;
  readonly specifier?: string;
}

/** Of a module by its name; of the own package (`.`), and of values (`#`), that is no name that anybody wrote. */
function nameInWant(
  { specifier, names }: Pick<BrokenReference, "specifier" | "names">,
  why: string,
): { what: string; why: string } {
  const shown = names.map((name) => nameInWords(name).replace(/^\./, "")).join(", ");
  if (specifier === "#") return { what: `reads ${shown} of a value`, why: "which nothing near here has" };
  if (specifier === ".") return { what: `uses ${shown}`, why: "which its package does not have" };
  return { what: `needs ${shown} from ${specifier}`, why };
}

export const unseenCallRule = {
  slug: "unseen-call",
  weight: "note",
  remedy: "See whether anything has it; else write it.",
  voids: "check",
  about:
    "A file came to call something by a name that nothing here has: as when a method is yet to be written.",
  detail:
    "JavaScript and TypeScript, in files that take something of the workspace. Not on packages, builtins and globals, nor on what they give. By name: a source that only mentions it counts as having it. Members of values of Go, Rust and Python, too (of Python also on what modules of the workspace give, and on `self` where its class takes nothing from other files, there also what is only read), and macros of Rust, where no crate gives all of its macros.",
  check: ({ unseenCalls }) => {
    const all = unseenCalls.flatMap(({ member, names }) =>
      names.map(({ name, line }) => ({ from: member.path, line, name })),
    );
    const [first] = all;
    if (!first) return [];
    const more = all.length > 1 ? ` and ${all.length - 1} more` : "";
    const does = first.name.startsWith(".") && !first.name.endsWith(")") ? "reads" : "calls";
    return [
      found(
        `${placeOf(first)} ${does} ${first.name}${more}, which nothing here has.`,
        unseenCalls.map(({ member }) => member),
        all.map((one) => `${placeOf(one)}: ${one.name}`),
      ),
    ];
  },
} as const satisfies Rule;

// Callers without what they call, made from a finished piece of work: every one that its texts show.
import { parseSync } from "oxc-parser";
import { isScript } from "./pairs.mjs";
import { namedBy, namesTaken, withoutComments } from "./text-refs.mjs";

const textOf = (bytes) => bytes?.toString("utf8") ?? "";

/** The caller as it shall be, what it calls as it was. One in three is a method, where there are such. */
export function callerWithoutCallee(pair, random) {
  const { left, renamed, methods } = callersOf(pair);
  const isMethod = methods.length > 0 && random.next() < 0.33;
  const one = isMethod
    ? random.pick(methods)
    : left.length > 0 && random.next() < 0.7
      ? random.pick(left)
      : random.pick(renamed);
  return one === undefined ? null : stateOf(pair, one);
}

/** Every state of a pair. */
export function callersWithoutCallees(pair) {
  const { left, renamed, methods } = callersOf(pair);
  return [...left, ...renamed, ...methods].map((one) => stateOf(pair, one));
}

const known = new WeakMap();
function callersOf(pair) {
  if (!known.has(pair)) known.set(pair, findCallers(pair));
  return known.get(pair);
}

/** `left`: the callee as it was does not know the name. `renamed`: where it is called, not yet where it is defined. */
function findCallers(pair) {
  const { before, after, changed } = pair;
  const callers = changed.filter((path) => after.has(path) && isScript(path));
  const found = [];
  for (const caller of callers) {
    const text = textOf(after.get(caller));
    for (const { target, specifier } of namedBy(caller, text, after)) {
      if (!isScript(target) || target === caller) continue;
      const [was, is] = [textOf(before.get(target)), textOf(after.get(target))];
      for (const name of namesTaken(text, specifier)) found.push({ caller, target, name, was, is });
    }
  }
  return {
    left: found
      .filter(({ name, was, is }) => was !== "" && !HANDS_ON.test(was) && !has(was, name) && has(is, name))
      .map((one) => ({ ...one, isLeft: true })),
    renamed: found.filter(({ is, name }) => givesByName(is, name)),
    methods: findMethods(pair),
  };
}

/**
 * Methods of what a caller takes: defined in one file of the package, set nowhere in the caller, called on anything but a
 * package.
 * `isLeft`: the callee as it was does not know the name, nor does any other file.
 */
function findMethods({ before, after, changed }) {
  const defined = new Map();
  for (const [path, bytes] of after)
    if (isScript(path))
      for (const name of methodsIn(textOf(bytes))) defined.set(name, [...(defined.get(name) ?? []), path]);
  return changed.flatMap((caller) => {
    if (!after.has(caller) || !isScript(caller)) return [];
    const text = textOf(after.get(caller));
    const targets = targetsOf(caller, text, after);
    const calls = targets.size === 0 ? [] : callsIn(caller, text);
    return [...groupedByName(calls)].flatMap(([name, places]) => {
      const [target, more] = defined.get(name) ?? [];
      const isForeign = places.some(
        ({ root }) => root !== null && (root in globalThis || isOfPackage(text, root)),
      );
      if (
        target === undefined ||
        more !== undefined ||
        target === caller ||
        !targets.has(target) ||
        isForeign ||
        new RegExp(`\\.${name}\\s*=[^=]`).test(text)
      )
        return [];
      const isLeft =
        before.has(target) &&
        ![...before].some(([path, bytes]) => isScript(path) && has(textOf(bytes), name));
      return [{ caller, target, name, isLeft, places }];
    });
  });
}

function groupedByName(calls) {
  const groups = new Map();
  for (const one of calls) groups.set(one.name, [...(groups.get(one.name) ?? []), one]);
  return groups;
}

/** Files of which the caller is given something, and not only run. */
function targetsOf(caller, text, tree) {
  const named = namedBy(caller, text, tree).filter(({ specifier }) => {
    const quoted = specifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`(?:=[^;=]*|from\\s*)["']${quoted}["']`).test(text);
  });
  return new Set(named.map(({ target }) => target));
}

/** A package, or what one made: `const box = new Box()`, where Box is of a package. */
const isOfPackage = (text, local) => {
  const made = new RegExp(
    `\\b(?:const|let|var)\\s+${local.replace(/\$/g, "\\$")}\\s*=\\s*(?:await\\s+)?(?:new\\s+)?([A-Za-z_$][\\w$]*)`,
    "g",
  );
  return isPackage(text, local) || [...text.matchAll(made)].some(([, by]) => isPackage(text, by));
};

const isPackage = (text, local) =>
  new RegExp(
    `\\b${local.replace(/\$/g, "\\$")}\\b[^=;]*(?:=[^=;]*require\\(\\s*|\\bfrom\\s*)["'][^."']`,
  ).test(text);

/** Members that are called, with their places and what the chain begins with. */
function callsIn(path, text) {
  const { program } = parseSync(path.slice(path.lastIndexOf("/") + 1), text, { sourceType: "unambiguous" });
  const found = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (
      node.type === "CallExpression" &&
      !node.optional &&
      node.callee.type === "MemberExpression" &&
      !node.callee.computed
    ) {
      const { name, start, end } = node.callee.property;
      if (name?.length > 3) found.push({ name, start, end, root: rootOf(node.callee.object) });
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(program);
  return found;
}

const rootOf = (node) =>
  node.type === "Identifier"
    ? node.name
    : ((node.object ?? node.callee) && rootOf(node.object ?? node.callee)) || null;

/** Of classes, of prototypes, and set on `this`. */
const METHODS = [
  /^\s+(?:static\s+|async\s+|\*\s*)*([A-Za-z_$][\w$]*)\s*\([^()]*\)\s*\{/gm,
  /\.prototype\.([A-Za-z_$][\w$]*)\s*=/g,
  /\bthis\.([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)/g,
];
const NO_METHOD = /^(?:if|for|while|switch|catch|function|with|constructor)$/;
const BORN = new Set(
  [Object, Function, Array, Promise, Map, Set, String, RegExp, Error, Date, Number].flatMap((one) => [
    ...Object.getOwnPropertyNames(one.prototype),
    ...Object.getOwnPropertyNames(one),
  ]),
);

function methodsIn(text) {
  const code = withoutComments(text);
  const names = METHODS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name]) => name));
  return new Set(names.filter((name) => !NO_METHOD.test(name) && !BORN.has(name)));
}

function stateOf({ after, changed }, { caller, target, name, isLeft, places }) {
  const now = new Map(changed.map((path) => [path, after.get(path) ?? null]));
  const text = textOf(after.get(caller));
  if (isLeft) now.delete(target);
  else now.set(caller, Buffer.from(places ? renamedAt(text, places) : renamed(text, name)));
  return { now, damaged: [caller], what: `${name} of ${target}${places ? ", a method" : ""}` };
}

const renamed = (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}Next`);

const renamedAt = (text, places) =>
  places
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { name, start, end }) => `${done.slice(0, start)}${name}Next${done.slice(end)}`, text);

/** What it gives may stand in another file. */
const HANDS_ON = /module\.exports\s*=\s*require\(|export\s*\*/;
const has = (text, name) => new RegExp(`\\b${name}\\b`).test(text);
/** The callee says plainly what it gives: then a name it does not give is missing, not hidden. */
const givesByName = (text, name) =>
  new RegExp(`exports\\.${name}\\b|export\\s+(?:async\\s+)?(?:function|const|class)\\s+${name}\\b`).test(
    text,
  ) || new RegExp(`module\\.exports\\s*=\\s*\\{[^}]*\\b${name}\\b`).test(text);

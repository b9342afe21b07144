/**
 * What other files of the group say about the end of a source. Two files are not cut at the same place: where a file
 * gives exactly what the others want of it, or a source and its types give the same, nothing that is given is missing
 * below; and what is not given but needed would be a name that nothing defines (loose-names). Pure.
 */
import type { FileFacts, SourceFacts } from "./file-facts.ts";
import { nameOfPath } from "./manifests.ts";
import type { Member } from "./member.ts";
import type { Wanted } from "./references/wanted.ts";

/** What the outside takes of these, nobody here knows. */
const WAY_IN = /^(?:index|main|cli|server|app|browser|worker|mod)\./;
const SCRIPT = /\.([mc]?)js$/;
const TYPES = /\.d\.([mc]?)ts$/;
/** The last statement gives something itself; below one that only does something, more may be done. */
const GIVES = /^(?:export \w+|set (?:module\.)?exports\.) ?([\w$]+)$/;

export function isEndWitnessed(
  { path, before, after }: Member,
  members: readonly Member[],
  wanted: Wanted,
): boolean {
  const is = after?.source;
  if (!is || !isReadable(after, is)) return false;
  return (
    isAllWanted(path, before?.source ?? null, is, wanted.get(path) ?? new Set()) ||
    isAsSource(path, is, members) ||
    isAsTypes(path, is, members)
  );
}

const isReadable = (after: FileFacts, is: SourceFacts): boolean =>
  after.language !== "python" &&
  after.isLastLineWhole &&
  !after.hasBlankEnd &&
  !is.hasEndComment &&
  !is.isEndLoose &&
  is.areExportsKnown &&
  is.stars.length === 0 &&
  is.exports.length > 0;

/** Everything it came to give, the last statement too, somebody of the group came to want. */
function isAllWanted(
  path: string,
  was: SourceFacts | null,
  is: SourceFacts,
  names: ReadonlySet<string>,
): boolean {
  if (WAY_IN.test(nameOfPath(path)) || TYPES.test(path)) return false;
  if (was?.exports.some((name) => !is.exports.includes(name))) return false;
  const fresh = is.exports.filter((name) => !was?.exports.includes(name) && name !== "__esModule");
  const last = GIVES.exec(is.lastStatement)?.[1];
  return last !== undefined && fresh.includes(last) && fresh.every((name) => names.has(name));
}

/** Types that give everything which the source beside them gives and names a type of. */
function isAsSource(path: string, is: SourceFacts, members: readonly Member[]): boolean {
  if (!TYPES.test(path)) return false;
  const source = sourceOf(members, path.replace(TYPES, ".$1js"));
  if (!source?.isModule) return false;
  // Written by hand, types may go on where the source says nothing of them: another way to call the same function.
  if (source.typedefs === null) return false;
  const there = new Set([...is.exports, ...is.references.flatMap(({ names }) => names)]);
  return (
    namesOf(source).every((name) => is.exports.includes(name)) &&
    source.typedefs.every((name) => there.has(name))
  );
}

/** A source that gives exactly what the types beside it say, and ends by giving or with a function that it needs. */
function isAsTypes(path: string, is: SourceFacts, members: readonly Member[]): boolean {
  if (!SCRIPT.test(path)) return false;
  const types = sourceOf(members, path.replace(SCRIPT, ".d.$1ts"));
  if (types === null) return false;
  const kinds = new Map(
    types.statements.flatMap((one) => {
      const [, kind, name] = /^export (\w+) ([\w$]+)$/.exec(one) ?? [];
      return kind === undefined || name === undefined ? [] : [[name, kind] as const];
    }),
  );
  const values = types.exports.filter((name) => !/^TS(?:TypeAlias|Interface)/.test(kinds.get(name) ?? ""));
  const given = namesOf(is);
  return (
    (GIVES.test(is.lastStatement) || is.isEndUsed) &&
    values.length === given.length &&
    values.every((name) => given.includes(name))
  );
}

const namesOf = ({ exports }: SourceFacts): string[] => exports.filter((name) => name !== "__esModule");

/** What is known of another file of the group, where all it gives can be read off. */
function sourceOf(members: readonly Member[], path: string): SourceFacts | null {
  const source = members.find((member) => member.path === path)?.after?.source ?? null;
  if (!source?.areExportsKnown || source.stars.length > 0) return null;
  return source.exports.length > 0 ? source : null;
}

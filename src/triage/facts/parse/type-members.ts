/**
 * Members of types by their names, among what a file gives: `Type#member`; and of the type itself `Type#` where all that it has of its
 * own is written down, `Type#member>Other` where a member gives a value of another type, `Type#?` where something may have more (a macro, a type from elsewhere), `Type#&Other` where it has all that another has.
 */
import type { Reference } from "../known/file-facts.ts";

/** What stands for any type: what it has, all have. */
export const ANY = "*";
export const memberOf = (type: string, member: string): string => `${type}#${member}`;
export const closedType = (type: string): string => `${type}#`;
export const openType = (type: string): string => `${type}#?`;
export const givingType = (type: string, member: string, other: string): string =>
  `${type}#${member}>${other}`;
export const embeddingType = (type: string, other: string): string => `${type}#&${other}`;

/** `Type#member` taken apart; null: no member of a type. */
export function memberIn(name: string): { readonly type: string; readonly member: string } | null {
  const at = name.indexOf("#");
  return at > 0 ? { type: name.slice(0, at), member: name.slice(at + 1) } : null;
}

/** Types of what a member gives, where that is written down. */
export function givenTypes(given: ReadonlySet<string>, type: string, member: string): string[] {
  const prefix = givingType(type, member, "");
  return [...given].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/** `a>b`: `b` of what `a` gives. Certainly lacking where every type that it may be of lacks it. */
export function lacksPath(given: ReadonlySet<string>, type: string, path: string): boolean {
  const at = path.indexOf(">");
  if (at === -1) return lacksMember(given, type, path);
  const types = givenTypes(given, type, path.slice(0, at));
  return types.length > 0 && types.every((one) => lacksPath(given, one, path.slice(at + 1)));
}

/** References to members, by what names the types' place, with the first line of each. */
export function membersWantedOf(found: ReadonlyMap<string, ReadonlyMap<string, number>>): Reference[] {
  return [...found].map(([specifier, members]) => ({
    specifier,
    names: [...members.keys()].sort(),
    isOfType: true,
    isType: false,
    isOptional: false,
    line: Math.min(...members.values()),
  }));
}

/** Types that have what another has; a longer chain is not followed. */
const MAX_EMBEDDED = 8;

/** Whether a type certainly lacks a member, by all that is given where it is declared. */
export function lacksMember(given: ReadonlySet<string>, type: string, member: string, depth = 0): boolean {
  if (given.has(memberOf(type, member)) || given.has(openType(type)) || !given.has(closedType(type)))
    return false;
  if (depth > MAX_EMBEDDED) return false;
  if (depth === 0 && given.has(closedType(ANY)) && !lacksMember(given, ANY, member, 1)) return false;
  const prefix = embeddingType(type, "");
  for (const name of given)
    if (name.startsWith(prefix) && !lacksMember(given, name.slice(prefix.length), member, depth + 1))
      return false;
  return true;
}

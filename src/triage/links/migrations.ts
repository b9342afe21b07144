/**
 * Sources that change a database's tables, and the migrations that carry it out. They belong together although nothing in either names the
 * other; where one came without the other, nothing in the bytes shows that it was meant to follow.
 */
import type { PathName } from "../../model/path-name.ts";
import { textOf } from "../facts/analyse-file.ts";
import type { HeadTree } from "../facts/known/triage-facts.ts";
import { folderOfPath, joinPath, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import type { Link } from "./group-links.ts";
import type { HeadSources } from "./references/tree.ts";

export interface UnmigratedModel {
  readonly member: GroupMember;
  /** Where, and what of it changed. */
  readonly what: string;
  /** Its bytes say that a table changed; not only its place says that it is a model. */
  readonly isTold: boolean;
}

/** Files that say what a table has, by where they lie and what they are called. */
const MODEL =
  /(?:^|\/)(?:models?|entit(?:y|ies)|schemas?)(?:\/[^/]+){0,2}\.(?:[mc]?[jt]s|py|rb|php|java|cs|go|rs|prisma)$|[._-](?:model|entity|table)\.\w+$|(?:^|\/)schema\.(?:prisma|rb|sql)$/i;
const TEST = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\/|[._](?:test|spec)\.\w+$|(?:^|\/)test_/;
/** Folders in which migrations lie, from any folder above the model. */
export const MIGRATION_FOLDERS = [
  "migrations",
  "migration",
  "migrate",
  "db/migrate",
  "db/migrations",
  "database/migrations",
  "prisma/migrations",
  "alembic/versions",
  "drizzle",
];
const IN_FOLDER = /(?:^|\/)(?:migrations?|migrate|drizzle|alembic\/versions)(?=\/)/;
/** A project's own root: what lies below it is one program, wherever in it its migrations are. */
const ROOTS =
  /^(?:package\.json|pyproject\.toml|setup\.py|manage\.py|requirements\.txt|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|mix\.exs)$/;

/** A schema that is all there is to say of the tables, whatever its language. */
const SCHEMA = /(?:^|\/)(?:schema\.(?:prisma|rb)|structure\.sql)$|(?:^|\/)prisma\/.*\.prisma$/;

export const isMigrationPath = (path: string): boolean => IN_FOLDER.test(path);
const isMigration = ({ path, change }: GroupMember): boolean => isMigrationPath(path) && change.to !== null;
/** One that was there before carried out what was before; and what a tool notes of them beside them carries out nothing. */
const isNew = ({ before, path }: GroupMember): boolean =>
  before === null && !/\/meta\/[^/]*\.json$/.test(path);

/** A changed model with the migrations that came for it. */
export function migrationLinks(members: readonly GroupMember[], head: HeadSources): Link[] {
  const migrations = members.filter(isMigration);
  if (migrations.length === 0) return [];
  return members.flatMap((member) => {
    if (isMigration(member) || !(isModel(member) || changesTables(member))) return [];
    const homes = homesOf(member, members, head);
    return migrations.filter(({ path }) => isBelow(path, homes)).map((one): Link => [member, one]);
  });
}

/** Of one owner's changes: models whose project is changed by migrations, and none came. */
export async function unmigratedIn(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: HeadTree,
): Promise<UnmigratedModel[]> {
  const migrations = members.filter((member) => isMigration(member) && isNew(member));
  const found: UnmigratedModel[] = [];
  for (const member of members) {
    if (isMigration(member) || !(isModel(member) || changesTables(member))) continue;
    const homes = homesOf(member, members, head);
    // A test's tables are nobody's, unless it keeps migrations of them itself.
    if (TEST.test(member.path) && !homes.some((home) => folderOfPath(home) === folderOfPath(member.path)))
      continue;
    if (homes.length === 0 || migrations.some(({ path }) => isBelow(path, homes))) continue;
    const told = declaredIn(member) ?? (await unheardNames(member, homes, head, tree));
    const isOfPlace = told === null && isModel(member) && !isDeclaring(member);
    if (told === null && !isOfPlace) continue;
    const what = `${told ?? `${member.path}: it lies where models are`}; ${homes[0]} has nothing new`;
    found.push({ member, what, isTold: told !== null });
  }
  return found;
}

const isModel = ({ path, change }: GroupMember): boolean =>
  change.to !== null && (MODEL.test(path) || SCHEMA.test(path));
const isDeclaring = ({ before, after }: GroupMember): boolean =>
  [before, after].some((facts) => (facts?.tables?.declared.length ?? 0) > 0);
const changesTables = (member: GroupMember): boolean =>
  declaredIn(member) !== null || freshNames(member).length > 0;

/** The first declaration that is not as it was, with its line; null: all of them are. */
function declaredIn({ path, before, after }: GroupMember): string | null {
  if (SCHEMA.test(path) && after !== null) return `${path}: the schema changed`;
  const [was, is] = [before?.tables?.declared ?? [], after?.tables?.declared ?? []];
  const old = new Set(was);
  const at = is.findIndex((one) => !old.has(one));
  if (at !== -1) return `${path}:${after?.tables?.lines[at] ?? 1}: ${nameOf(is[at])} was added or changed`;
  const now = new Set(is);
  const gone = was.find((one) => !now.has(one));
  return gone === undefined ? null : `${path}: ${nameOf(gone)} was taken away`;
}
const nameOf = (declared = ""): string => declared.slice(0, declared.indexOf(" "));

function freshNames({ before, after }: GroupMember): string[] {
  const was = new Set(before?.tables?.named ?? []);
  return (after?.tables?.named ?? []).filter((name) => !was.has(name));
}

/** Files of HEAD that make tables and are read for their words; what has more is asked no further. */
const MAX_READ = 300;

/** Names that came into its SQL and that no migration has, although it is their database: others of its names they have. */
async function unheardNames(
  member: GroupMember,
  homes: readonly string[],
  head: HeadSources,
  tree: HeadTree,
): Promise<string | null> {
  const fresh = freshNames(member);
  if (fresh.length === 0) return null;
  const all = member.after?.tables?.named ?? [];
  const paths = (await head.mentioning(all))?.filter((path) => isBelow(path, homes) || path.endsWith(".sql"));
  if (!paths || paths.length === 0 || paths.length > MAX_READ) return null;
  const known = new Set<string>();
  for (const bytes of await Promise.all(paths.map((path) => tree.read(path as PathName))))
    for (const word of (bytes ? textOf(bytes) : null)?.match(/[A-Za-z_]\w*/g) ?? [])
      known.add(word.toLowerCase());
  const unheard = fresh.filter((name) => !known.has(name));
  if (unheard.length === 0 || unheard.length === all.length) return null;
  return `${member.path}: its SQL came to name ${unheard.slice(0, 3).join(", ")}, which no migration has`;
}

/** The folders whose migrations are this source's: the nearest above it, or all of its project's. None: its project keeps none. */
function homesOf({ path }: GroupMember, members: readonly GroupMember[], head: HeadSources): string[] {
  const came = new Set(members.filter(isMigration).map((one) => migrationFolder(one.path)));
  const isFolder = (folder: string): boolean => isHome(folder, head) || came.has(folder);
  let root: string | null = null;
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    const near = MIGRATION_FOLDERS.map((name) => joinPath(folder, name)).filter(isFolder);
    if (near.length > 0) return near;
    if (root === null && (head.byFolder.get(folder) ?? []).some((one) => ROOTS.test(nameOfPath(one))))
      root = folder;
    if (folder === "") break;
  }
  if (root === null) return [];
  const folders = new Set([...came, ...foldersAtHead(head)]);
  return [...folders].filter((folder) => root === "" || folder.startsWith(`${root}/`));
}

/** Sources that talk to a mapper lie in folders of its name, too. */
const isHome = (folder: string, head: HeadSources): boolean =>
  head.folders.has(folder) &&
  (nameOfPath(folder) !== "drizzle" ||
    head.folders.has(`${folder}/meta`) ||
    [...head.paths].some((path) => path.startsWith(`${folder}/`) && path.endsWith(".sql")));

const FOLDER = /(?:^|\/)(?:migrations?|migrate|drizzle|alembic\/versions)$/;
const known = new WeakMap<HeadSources, readonly string[]>();

function foldersAtHead(head: HeadSources): readonly string[] {
  const found =
    known.get(head) ?? [...head.folders].filter((folder) => FOLDER.test(folder) && isHome(folder, head));
  known.set(head, found);
  return found;
}

const migrationFolder = (path: string): string => {
  const found = IN_FOLDER.exec(path);
  return found ? path.slice(0, found.index + found[0].length) : "";
};
const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));

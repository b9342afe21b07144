/** A model whose table is changed by migrations, changed without one: nothing in the bytes shows that one was meant to follow. */
import { folderOfPath, joinPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { isSaidDone } from "./evidence/closings.ts";
import type { GroupView } from "./evidence/group-view.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

/** Files that say what a table has, by where they lie and what they are called. */
const MODEL =
  /(?:^|\/)(?:models?|entit(?:y|ies)|schemas?)(?:\/[^/]+)?\.(?:[mc]?[jt]s|py|rb|php|java|cs|go|rs|prisma)$|[._-](?:model|entity)\.\w+$|(?:^|\/)schema\.(?:prisma|rb|sql)$/i;
const TEST = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\/|[._](?:test|spec)\.\w+$|(?:^|\/)test_/;
/** Folders in which migrations lie, from any folder above the model. */
const FOLDERS = [
  "migrations",
  "migration",
  "migrate",
  "db/migrate",
  "db/migrations",
  "alembic/versions",
  "drizzle",
];
const MIGRATION = /(?:^|\/)(?:migrations?|migrate|drizzle|alembic\/versions)\//;

export const unmigratedModelRule = {
  slug: "unmigrated-model",
  weight: "note",
  voids: "word",
  about: "A model changed without a migration, in a project whose tables are changed by migrations.",
  detail: `Not where an operation that ended said that it is done, and its capture has these bytes. Models by their places and names (models/, entities/, schema.prisma, a.entity.ts), where a folder above them has one of ${FOLDERS.map((one) => `\`${one}\``).join(", ")} at HEAD and the group has no file in such a folder.`,
  check: (view) => {
    if (view.members.some(({ path }) => MIGRATION.test(path))) return [];
    return aboutEach(
      view,
      (member) =>
        isModel(member, view) && !isSaidDone(member, view.operations, view.classes)
          ? `${member.path}: no migration came with it`
          : null,
      (count, first) => `${naming(count, first, "changed", "changed")} without a migration.`,
    );
  },
} as const satisfies Rule;

function isModel({ path, change }: GroupMember, { atHead }: GroupView): boolean {
  if (change.to === null || !MODEL.test(path) || TEST.test(path)) return false;
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    if (FOLDERS.some((name) => atHead(joinPath(folder, name)) === "folder")) return true;
    if (folder === "") return false;
  }
}

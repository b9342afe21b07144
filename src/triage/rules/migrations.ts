/** A model without its migration, where nothing in the bytes shows that one was meant to follow, and a migration without its model. */
import { CHECKED_LANGUAGES } from "../facts/paths/languages.ts";
import { MIGRATION_FOLDERS } from "../links/migrations.ts";
import { isSaidDone } from "./evidence/closings.ts";
import type { GroupView } from "./evidence/group-view.ts";
import { aboutEach, found, naming, type Rule, type RuleFinding } from "./rule.ts";

export const unmigratedModelRule = {
  slug: "unmigrated-model",
  weight: "note",
  remedy: "Write the migration, if it needs one.",
  voids: "word",
  about:
    "A model changed without a migration, in a project whose tables are changed by migrations, or was written in the same session as one that did.",
  detail: `Not where an operation that ended said that it is done, and its capture has these bytes. What declares a table or a column and is not as it was: Django, Tortoise, SQLAlchemy, SQLModel; Drizzle, TypeORM, MikroORM, Sequelize; tags of Go's structs (gorm, xorm, bun, db, pg), ent; Diesel, SQLx, SeaORM; JPA. Names that came into SQL and that no migration has, where they have others of it. Elsewhere any change of what lies where models are (models/, entities/, schema.prisma, a.entity.ts). Where a folder above has one of ${MIGRATION_FOLDERS.map((one) => `\`${one}\``).join(", ")}, or its project has such a folder, and the session brought nothing into it. A changed model and the migrations that came for it are one group.`,
  check: (view) => {
    const own = new Map(view.unmigrated.map(({ member, what }) => [member, what]));
    const isDone = (member: GroupView["members"][number]): boolean =>
      isSaidDone(member, view.operations, view.classes);
    const doubts = aboutEach(
      view,
      (member) => (isDone(member) ? null : (own.get(member) ?? null)),
      (count, first) => `${naming(count, first, "changed", "changed")} without a migration.`,
    );
    return doubts.length > 0 || own.size > 0 ? doubts : besideOne(view, isDone);
  },
} as const satisfies Rule;

/** The same word says of both that they are done, and of one it is in doubt. What is in no language that is followed is safe on no word anyway. */
function besideOne(
  view: GroupView,
  isDone: (member: GroupView["members"][number]) => boolean,
): readonly RuleFinding[] {
  const model = view.besideUnmigrated;
  if (model === null) return [];
  return aboutEach(
    view,
    (member) =>
      member.change.to !== null && CHECKED_LANGUAGES.has(member.after?.language ?? "other") && !isDone(member)
        ? model.what
        : null,
    (count, first) =>
      `${naming(count, first, "was", "were")} written in the same session as ${model.member.path}, which changed without a migration.`,
  );
}

export const unmodelledMigrationRule = {
  slug: "unmodelled-migration",
  weight: "note",
  remedy: "Write the model.",
  voids: "word",
  about: "A new migration makes a table for a model that nothing has.",
  detail:
    "Django: `CreateModel` of a name that no Python file outside of migrations mentions, in HEAD with the group laid upon it. Not where the same migration renames or deletes models.",
  check: ({ modelless }) => {
    const [first] = modelless;
    if (!first) return [];
    const members = [...new Set(modelless.map(({ member }) => member))];
    return [
      found(
        `${naming(members.length, first.member.path, "makes", "make")} a table for a model that nothing here has.`,
        members,
        modelless.map(({ what }) => what),
      ),
    ];
  },
} as const satisfies Rule;

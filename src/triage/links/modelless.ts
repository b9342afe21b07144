/** Migrations of Django that make a table for a model which nothing has: the other half of a model without its migration (migrations.ts). */
import type { PathName } from "../../model/path-name.ts";
import { textOf } from "../facts/analyse-file.ts";
import type { TriageFacts } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import { isMigrationPath } from "./migrations.ts";
import type { HeadSources } from "./references/tree.ts";

export interface ModellessMigration {
  readonly member: GroupMember;
  /** Where, and the model's name. */
  readonly what: string;
}

const CREATES = /\bCreateModel\(\s*(?:name\s*=\s*)?["'](\w+)["']/g;
/** In the same file it may become another, or go again: one migration made of many. */
const CHANGES = /\b(?:RenameModel|DeleteModel|SeparateDatabaseAndState|replaces)\b/;

export async function modellessIn(
  members: readonly GroupMember[],
  { bytesOf }: TriageFacts,
  head: HeadSources,
): Promise<ModellessMigration[]> {
  const came = members.filter(
    ({ path, change }) => change.kind === "added" && isMigrationPath(path) && path.endsWith(".py"),
  );
  if (came.length === 0) return [];
  const textAfter = async ({ change }: GroupMember): Promise<string> => {
    const bytes = change.to?.kind === "file" ? await bytesOf(change, "after") : null;
    return (bytes ? textOf(bytes) : null) ?? "";
  };
  const found: ModellessMigration[] = [];
  for (const member of came) {
    const text = await textAfter(member);
    if (CHANGES.test(text)) continue;
    for (const made of text.matchAll(CREATES)) {
      const [, model = ""] = made;
      if ((await isMentioned(model, members, textAfter, head)) !== false) continue;
      const line = text.slice(0, made.index).split("\n").length;
      found.push({ member, what: `${member.path}:${line}: ${model}` });
    }
  }
  return found;
}

/** Outside of migrations. Null: it could not be looked for. */
async function isMentioned(
  model: string,
  members: readonly GroupMember[],
  textAfter: (member: GroupMember) => Promise<string>,
  head: HeadSources,
): Promise<boolean | null> {
  const word = new RegExp(`\\b${model}\\b`);
  const own = new Set<PathName>(members.map(({ path }) => path));
  for (const member of members)
    if (!isMigrationPath(member.path) && word.test(await textAfter(member))) return true;
  const paths = await head.mentioning([model], [".py"]);
  if (paths === null) return null;
  return paths.some((path) => !isMigrationPath(path) && !own.has(path));
}

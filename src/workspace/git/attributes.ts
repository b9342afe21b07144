/** Which of these paths have one of these filters by .gitattributes. Reading attributes runs nothing. */
import { type PathName, pathFromBytes, pathToBytes } from "../../model/path-name.ts";
import { nulFields } from "../../platform/nul-fields.ts";
import type { Repository } from "./repository.ts";

export async function pathsWithFilter(
  repository: Repository,
  paths: readonly PathName[],
  filters: readonly string[],
): Promise<Map<PathName, string>> {
  if (paths.length === 0 || filters.length === 0) return new Map();
  const nul = Buffer.from([0]);
  const input = Buffer.concat(paths.flatMap((path) => [pathToBytes(path), nul]));
  const output = await repository.run(["check-attr", "-z", "--stdin", "filter"], { input });
  const found = new Map<PathName, string>();
  // path NUL attribute NUL value NUL
  let fields: Buffer[] = [];
  for (const field of nulFields(output)) {
    fields.push(field);
    if (fields.length < 3) continue;
    const driver = (fields[2] as Buffer).toString("utf8");
    if (filters.includes(driver)) found.set(pathFromBytes(fields[0] as Buffer), driver);
    fields = [];
  }
  return found;
}

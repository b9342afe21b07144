/**
 * The built program's compiled code is kept before the first test, as `init` keeps it: the tests start the program thousands of times, and no
 * test writes it into the build that others use.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export async function setup(): Promise<void> {
  const built = join(resolve(import.meta.dirname, "../.."), "dist/platform/compiled-code.js");
  if (!existsSync(built)) return;
  const { keepCompiled } = (await import(pathToFileURL(built).href)) as { keepCompiled: () => void };
  keepCompiled();
}

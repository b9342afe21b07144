// SQLite for Node 20, as a part of the build (docs/decisions/0029): of its package the module that is loaded, in one file, and the native
// code of the platforms that ours may be installed on. As npm brings it, it is twice as large: sources, and platforms we do not run on.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { licensesOf } from "./bundle.mjs";

const NAME = "@photostructure/sqlite";
/** Its native code is compiled with it. */
const HEADERS = "node-addon-api";
/** As its README says; of neither it brings a file. */
const WITHIN =
  "The native code includes SQLite (public domain) and code from Node.js (MIT, copyright Node.js contributors).";

/** A folder that is required as the package is. Its module looks for `prebuilds` in the folder above its own. */
export async function carrySqlite(folder) {
  const { resolve } = createRequire(import.meta.url);
  const home = dirname(resolve(`${NAME}/package.json`));
  const { name, version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const { os } = JSON.parse(readFileSync("package.json", "utf8"));

  const bundle = await rolldown({ input: resolve(NAME), platform: "node" });
  const { output } = await bundle.generate({ format: "cjs", codeSplitting: false });
  await bundle.close();
  const [{ code, moduleIds }] = output;

  const main = "lib/index.cjs";
  mkdirSync(join(folder, dirname(main)), { recursive: true });
  writeFileSync(join(folder, main), code);
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, version, license, main }, null, 2)}\n`,
  );
  writeFileSync(join(folder, "LICENSES.txt"), `${WITHIN}\n\n${licensesOf([...moduleIds, resolve(HEADERS)])}`);
  for (const platform of readdirSync(join(home, "prebuilds")))
    if (os.includes(platform.split("-")[0]))
      cpSync(join(home, "prebuilds", platform), join(folder, "prebuilds", platform), { recursive: true });
}

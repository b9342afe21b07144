/**
 * The first seed's own story at its full length, through the built program: a loop over an agent that wraps each piece of work in
 * `op begin` and `op end` and is killed at random. Every ended operation is committed, or its reasons say in their evidence what speaks
 * against it; none that was not ended is. A sample in each run; REFLOAT_SWEEP=full has a hundred sessions.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { SAFE_RULES } from "../../src/triage/rules/table.ts";
import { BIN, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { seed as drawn, isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Piece {
  readonly label: string;
  readonly kind: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}
const { piecesOf } = (await import(new URL("./killed-pieces.mjs", import.meta.url).href)) as {
  piecesOf: (seed: string, session: number) => Piece[];
};

/** Where no weight is told: those of an inspected group. */
const FOR_SAFE: ReadonlySet<string> = new Set(SAFE_RULES.map(({ slug }) => slug));
const SESSIONS = isFull ? 100 : 8;
/** Of the ended operations; the others must say why. Of a sample one is already more than a tenth. */
const LEAST_COMMITTED = 0.9;

/** What became of each operation of a session, by its label. */
async function operationsOf(store: RefloatStore, session: string): Promise<[string, string][]> {
  const labels = new Map<unknown, string>();
  const states = new Map<string, string>();
  for await (const { kind, body } of store.raw.journal(session as SessionId)) {
    if (kind === "operation.began") labels.set(body.operation, String(body.label));
    const label = labels.get(body.operation);
    if (label === undefined) continue;
    if (kind === "operation.began") states.set(label, "open");
    if (kind === "operation.ended") states.set(label, body.aborted === true ? "aborted" : "ended");
  }
  return [...states];
}

describe("a loop over an agent that is killed at random", { timeout: 120 * 60_000 }, () => {
  it(`commits what was ended, says what speaks against the rest, and commits nothing that was not ended, in ${SESSIONS} sessions (S3)`, async () => {
    const seed = String(drawn);
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("package.json", '{ "type": "module" }\n');
    repo.write("go.mod", "module example.org/work\n\ngo 1.19\n");
    repo.write("README.md", "# Work\n");
    repo.commit("base");
    const notes = temporaryFolder();
    writeFileSync(join(notes, "n"), "0");
    const env = { ...ANN, BIN, NOTES: notes, SEED: seed };
    const agent = join(import.meta.dirname, "killed-agent.mjs");
    const flags = [
      "--max",
      String(SESSIONS),
      "--settle",
      "default",
      "--backoff",
      "0s",
      "--suspend-after",
      "never",
    ];
    const ran = await place.refloat(["loop", ...flags, "--", process.execPath, agent], { env });
    expect(ran.stderr).toContain(`stops after ${SESSIONS} sessions`);

    const pieces = Array.from({ length: SESSIONS }, (_, at) => piecesOf(seed, at + 1)).flat();
    const noted = existsSync(join(notes, "ended"))
      ? readFileSync(join(notes, "ended"), "utf8").split("\n")
      : [];
    const { states, unsettled } = await place.withStore(async (store) => {
      const rows = await store.sessions();
      const found = await Promise.all(rows.map(({ id }) => operationsOf(store, id)));
      const isLeft = rows.filter((row) => row.unsettled).map(({ id }) => id);
      return { states: new Map(found.flat()), unsettled: isLeft };
    });
    const reasons = new Map<string, JsonObject[]>();
    for (const id of unsettled)
      for (const group of (await place.json(["inspect", id], { env })).json.groups)
        for (const change of group.changes) reasons.set(change.path, group.reasons);
    // What is parked is not in the tree any more: what it was parked for stands with it.
    for (const { paths, reasons: kept } of (await place.json(["parked"], { env })).json.parked)
      for (const { path } of paths) reasons.set(path, kept);
    const isThere = ({ files }: Piece): boolean[] =>
      files.map(
        ({ path, text }) =>
          repo.git("ls-files", path) !== "" && repo.git("show", `HEAD:${path}`) === text.trimEnd(),
      );
    const ended = pieces.filter(({ label }) => states.get(label) === "ended");
    const open = pieces.filter(({ label }) => states.get(label) !== "ended");
    for (const label of noted.filter((one) => one !== "")) expect(states.get(label), label).toBe("ended");
    for (const piece of open)
      for (const { path } of piece.files) expect(repo.git("ls-files", path), piece.label).toBe("");

    const left = ended.filter((piece) => !isThere(piece).every((one) => one));
    for (const { label, files } of left) {
      const said = files.flatMap(({ path }) => reasons.get(path) ?? []);
      expect(said.length, `${label}: nothing is said`).toBeGreaterThan(0);
      const against = said.filter(({ rule, weight }) => weight !== "safe" && !FOR_SAFE.has(rule));
      expect(against.length, `${label}: nothing speaks against it`).toBeGreaterThan(0);
      for (const { message, evidence } of against) {
        expect(message).not.toBe("");
        expect(evidence.length, `${label}: ${message}`).toBeGreaterThan(0);
        // A sentence is no evidence of itself.
        expect(evidence, label).not.toContain(message);
      }
    }
    const counts: Record<string, string> = {};
    for (const kind of new Set(ended.map((piece) => piece.kind))) {
      const of = ended.filter((piece) => piece.kind === kind);
      counts[kind] = `${of.filter((piece) => !left.includes(piece)).length} of ${of.length}`;
    }
    const share = (ended.length - left.length) / ended.length;
    console.log(
      `loop of ${SESSIONS} killed sessions, seed ${seed}: ${pieces.length} pieces, ${ended.length} ended, ${ended.length - left.length} committed (${(share * 100).toFixed(1)} %)`,
      counts,
      left.map(({ label, files }) => [label, reasons.get(files[0]?.path ?? "")?.[0]?.message]),
    );
    const followed = ended.filter(({ kind }) => kind !== "java");
    expect(followed.filter((piece) => left.includes(piece)).length).toBeLessThanOrEqual(
      Math.ceil(followed.length * (1 - LEAST_COMMITTED)),
    );
    if (isFull) expect(share).toBeGreaterThanOrEqual(LEAST_COMMITTED);
  });
});

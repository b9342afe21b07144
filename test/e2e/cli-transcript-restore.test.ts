/** `transcript restore` as it is typed, for an agent that was started plainly and one that ran under `refloat run`. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/sqlite/load.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

const FIXTURE = join(
  import.meta.dirname,
  "../agents/transcripts/pi/killed-in-tool/.pi/agent/sessions/--srv-agents-repo-pi-tool--",
);
const NATIVE = "01a1dd09-78da-74bd-88a1-bda2f5c0c3e0";

/** A place whose repository pi worked in, and what it wrote of that. */
function withPi(): { place: Place; text: string; folder: string; file: string } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit();
  const [name = ""] = readdirSync(FIXTURE);
  const text = readFileSync(join(FIXTURE, name), "utf8").replaceAll("/srv/agents/repo-pi-tool", repo.root);
  const folder = join(place.home, ".pi/agent/sessions/--work--");
  mkdirSync(folder, { recursive: true });
  return { place, text, folder, file: join(folder, name) };
}

describe("transcript restore", () => {
  it("gives back the file of an agent that nobody supervised after it is gone, byte for byte, yours only, and over nothing (S1)", async () => {
    const { place, text, file } = withPi();
    writeFileSync(file, text);
    const listed = await place.json(["transcript", "restore"]);
    expect(listed).toMatchObject({
      code: 0,
      json: {
        to: null,
        kept: [{ agent: "pi", native_id: NATIVE, path: file, bytes: Buffer.byteLength(text), child: false }],
      },
    });
    rmSync(file);
    const to = join(place.home, "back.jsonl");
    expect((await place.json(["transcript", "restore", listed.json.session, "--to", to])).json).toMatchObject(
      {
        session: listed.json.session,
        to,
        kept: [{ native_id: NATIVE, bytes: Buffer.byteLength(text) }],
      },
    );
    expect([readFileSync(to, "utf8"), statSync(to).mode & 0o777]).toEqual([text, 0o600]);
    writeFileSync(to, "mine\n");
    expect(await place.json(["transcript", "restore", "--to", to])).toMatchObject({
      code: 1,
      json: { code: "E_EXISTS" },
    });
    expect(readFileSync(to, "utf8")).toBe("mine\n");
    const other = ["transcript", "restore", "--native", "another", "--to", join(place.home, "none")];
    expect(await place.json(other)).toMatchObject({ code: 1, json: { code: "E_NOT_KEPT" } });
    expect(existsSync(join(place.home, "none"))).toBe(false);
  });

  it("has what an agent under run wrote until it was killed; prove hashes it again, and gc drops it when the user keeps less (T1)", async () => {
    const { place, text, folder } = withPi();
    const agent = join(place.home, "pi");
    const written = `${folder}/2026-11-15T02-29-07-932Z_${NATIVE}.jsonl`;
    writeFileSync(join(place.home, "said"), text);
    writeFileSync(agent, `#!/bin/sh\ncp "${place.home}/said" "${written}"\nkill -9 $$\n`);
    chmodSync(agent, 0o755);
    expect((await place.refloat(["run", "--", agent, "--session-id", NATIVE, "-p", "do it"])).code).toBe(137);
    rmSync(written);
    const to = join(place.home, "back.jsonl");
    expect((await place.refloat(["transcript", "restore", "--to", to])).code).toBe(0);
    expect(readFileSync(to, "utf8")).toBe(text);
    const [before, proved] = [await place.json(["prove"]), await place.json(["store", "gc"])];
    expect([before.code, proved.json.transcripts]).toEqual([0, 0]);
    const config = { env: { XDG_CONFIG_HOME: join(place.home, "config") } };
    mkdirSync(join(place.home, "config/refloat"), { recursive: true });
    writeFileSync(join(place.home, "config/refloat/config.json"), '{"limits":{"transcript_bytes":1}}');
    expect((await place.json(["store", "gc"], config)).json).toMatchObject({ transcripts: 1 });
    expect(await place.json(["transcript", "restore", "--to", `${to}.2`])).toMatchObject({
      json: { code: "E_NOT_KEPT" },
    });
    expect((await place.json(["prove"])).code).toBe(0);
    expect((await place.json(["store", "check"])).code).toBe(0);
  });

  it("has it, too, where refloat was killed with the agent: whoever recovers the session keeps it first (S1)", async () => {
    const { place, text, folder } = withPi();
    const agent = join(place.home, "pi");
    const written = `${folder}/2026-11-15T02-29-07-932Z_${NATIVE}.jsonl`;
    writeFileSync(join(place.home, "said"), text);
    writeFileSync(agent, `#!/bin/sh\ncp "${place.home}/said" "${written}"\nkill -9 $PPID $$\n`);
    chmodSync(agent, 0o755);
    const both = ["run", "--name", "both", "--", agent, "--session-id", NATIVE, "-p", "do it"];
    expect((await place.refloat(both)).signal).toBe("SIGKILL");
    expect((await place.refloat(["run", "--", "true"])).code).toBe(0);
    rmSync(written);
    const to = join(place.home, "back.jsonl");
    expect((await place.refloat(["transcript", "restore", "both", "--to", to])).code).toBe(0);
    expect(readFileSync(to, "utf8")).toBe(text);
    // What is damaged since is told, and nothing of it is written.
    const db = openDatabase(place.store);
    const [, piece = ""] = /"hash":"([0-9a-f]{64})"/.exec(await keptBody(place)) ?? [];
    db.prepare("UPDATE chunks SET bytes = zeroblob(10) WHERE hash = unhex(?)").run(piece);
    db.close();
    const { json } = await place.json(["prove"]);
    expect(json.lost).toMatchObject([{ named_by: "pi's transcript", hash: piece }]);
    expect(await place.json(["transcript", "restore", "both", "--to", `${to}.2`])).toMatchObject({
      json: { code: "E_STORE_DAMAGED" },
    });
    expect(existsSync(`${to}.2`)).toBe(false);
  });
});

const keptBody = (place: Place): Promise<string> =>
  place.withStore(async ({ raw }) => {
    for await (const { id } of raw.everySession())
      for (const { body } of await raw.records({ session: id, kinds: ["transcript.kept"] }))
        return JSON.stringify(body);
    return "";
  });

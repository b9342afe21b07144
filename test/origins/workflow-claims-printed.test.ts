/** The third origin's lock as people meet it: what is printed about a held step can be typed as it stands, and frees it (T6, K4). */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { startServer } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { docOf, edit, STATE } from "./claim-stores.ts";

interface Pasted {
  readonly code: number | null;
  readonly output: string;
}

function pathWithProgram(): string {
  const folder = temporaryFolder();
  symlinkSync(BIN, join(folder, "refloat"));
  return `${folder}:${dirname(process.execPath)}:${process.env.PATH}`;
}

/** As a person has it: the program on the path, an 80 column screen, in the folder where it was printed. */
function paste(place: Place, command: string, cwd = place.workspace): Pasted {
  const env = { PATH: pathWithProgram(), HOME: place.home, REFLOAT_HOME: place.home, COLUMNS: "80" };
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd, env, encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

const commandIn = (text: string): string => /`(refloat [^`]+)`/.exec(text)?.[1] ?? "";
const stranger = (heartbeat = new Date().toISOString()) => ({
  owner_id: "stranger",
  heartbeat,
  attempt_token: null,
});

async function withState(): Promise<{ place: Place; file: string }> {
  const place = makePlace();
  await place.refloat(["state", "init"]);
  return { place, file: join(place.workspace, STATE) };
}
const held = async (place: Place, cwd = place.workspace): Promise<JsonObject> => {
  const { code, json } = await place.json(["step", "start", "1", "--owner", "bob"], { cwd });
  expect([code, json.code], JSON.stringify(json)).toEqual([4, "E_STEP_HELD"]);
  return json;
};

describe("a held step", () => {
  it.each(["lock", "claim"])(
    "origin 003.12: a %s that only the file knows is freed by the command that its refusal prints, on record",
    async (what) => {
      const { place, file } = await withState();
      edit(file, (doc) => {
        if (what === "lock") doc.lock = { ...stranger(), acquired: null };
        else Object.assign(doc.steps["1"].claim, stranger());
      });
      const { hint, message } = await held(place);
      expect(message).toContain("stranger");
      const freed = paste(place, `${commandIn(hint)} --yes`);
      expect(freed.code, freed.output).toBe(0);
      const shown = what === "lock" ? docOf(file).lock : docOf(file).steps["1"].claim;
      expect(shown.owner_id).toBeNull();
      if (what === "claim")
        expect(shown.event_log).toMatchObject([
          { type: "takeover", previous_owner: "stranger", reason: "WHY" },
        ]);
      const last = commandIn(freed.output.replace(/(refloat show \S+)/, "`$1`"));
      expect(paste(place, last).output).toContain("stranger");
      expect((await place.json(["step", "start", "1", "--owner", "bob"])).code).toBe(0);
    },
  );

  it.each(["by its name", "by its file"])(
    "origin 003.12: so is a lock whose owner claims a step, too, by the word of another store, %s; the step stays theirs",
    async (how) => {
      const { place, file } = await withState();
      const REFLOAT_HOME = temporaryFolder();
      const other = await place.json(["step", "start", "1", "--owner", "ann"], { env: { REFLOAT_HOME } });
      expect(other.code).toBe(0);
      const { code, json } = await place.json(["step", "start", "2", "--owner", "bob"]);
      expect([code, json.code], JSON.stringify(json)).toEqual([4, "E_STEP_HELD"]);
      const command =
        how === "by its name" ? commandIn(json.hint) : `refloat claim break lock --file ${file} --reason r`;
      expect(command).toContain("lock");
      const freed = paste(place, `${command} --yes`);
      expect(freed.code, freed.output).toBe(0);
      expect(docOf(file).lock.owner_id).toBeNull();
      expect(docOf(file).steps["1"].claim.owner_id).toBe("ann");
      expect((await place.json(["step", "start", "2", "--owner", "bob"])).code).toBe(0);
      const { findings } = (await place.json(["state", "validate"])).json;
      expect(findings.filter(({ rule }: JsonObject) => /lock|claim/.test(rule))).toEqual([]);
    },
  );

  it("origin 003.12: where two projects have one name and the store knows one of them, the one of this folder is meant; from elsewhere both are named (K4)", async () => {
    const place = makePlace();
    const folders = ["one/shop", "two/shop"].map((name) => join(place.workspace, name));
    for (const cwd of folders) {
      mkdirSync(cwd, { recursive: true });
      await place.refloat(["state", "init"], { cwd });
    }
    const [one = "", two = ""] = folders;
    await place.refloat(["step", "start", "1", "--owner", "ann"], { cwd: one });
    edit(join(two, STATE), (doc) => {
      Object.assign(doc.steps["1"].claim, stranger());
    });
    const order = ["claim", "break", "shop/step-1", "--reason", "r", "--yes"];
    const elsewhere = await place.json(order, { cwd: temporaryFolder() });
    expect(elsewhere.json.code, JSON.stringify(elsewhere.json)).toBe("E_AMBIGUOUS");
    expect((await place.json(order, { cwd: two })).code).toBe(0);
    expect(docOf(join(two, STATE)).steps["1"].claim.owner_id).toBeNull();
    expect(docOf(join(one, STATE)).steps["1"].claim.owner_id).toBe("ann");
  });

  it("origin 003.12: so is one of two projects of one name, from wherever it is printed, and the other stays held", async () => {
    const place = makePlace();
    const folders = ["one/demo", "two/demo"].map((name) => join(place.workspace, name));
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      await place.refloat(["state", "init"], { cwd: folder });
      await place.refloat(["step", "start", "1", "--owner", "ann"], { cwd: folder });
    }
    const [one = "", two = ""] = folders;
    const { hint } = await held(place, two);
    const freed = paste(place, `${commandIn(hint)} --yes`, temporaryFolder());
    expect(freed.code, freed.output).toBe(0);
    expect(docOf(join(two, STATE)).steps["1"].claim.owner_id).toBeNull();
    expect(docOf(join(one, STATE)).steps["1"].claim.owner_id).toBe("ann");
    // By its name, who stands in a project means that one.
    const named = paste(place, "refloat claim break demo/step-1 --reason gone --yes", one);
    expect(named.code, named.output).toBe(0);
    expect(docOf(join(one, STATE)).steps["1"].claim.owner_id).toBeNull();
  });

  it("origin 003.12: the ids of `claim status`, of the store's claims and of the file's, are typed as they stand on 80 columns", async () => {
    const { place, file } = await withState();
    for (const step of ["1", "2"]) await place.refloat(["step", "start", step, "--owner", "ann"]);
    edit(file, (doc) => {
      Object.assign(doc.steps["3"].claim, stranger());
    });
    const screen = paste(place, "refloat claim status").output;
    const lines = screen.split("\n").filter((line) => line.startsWith("workflow-"));
    expect(lines).toHaveLength(3);
    expect(Math.max(...screen.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const line of lines) {
      const id = line.split(" ")[0];
      const freed = paste(place, `refloat claim break ${id} --reason gone --yes`);
      expect(freed.code, `${line}\n${freed.output}`).toBe(0);
    }
    for (const step of ["1", "2", "3"]) expect(docOf(file).steps[step].claim.owner_id).toBeNull();
    expect((await place.json(["claim", "status"])).json.claims).toEqual([]);
  });

  it("origin 003.12: of a session that is alive here, the refusal says to stop it, not to break what cannot be broken (K4)", async () => {
    const { place } = await withState();
    await place.withStore(async (store) => {
      await store.begin({ id: "sess-one", agent: "t", workspace: place.workspace });
      await place.refloat(["step", "start", "1"], { env: { REFLOAT_SESSION: "sess-one.1.x" } });
      expect((await held(place)).hint).toBe("Wait for it, or stop it first: `refloat stop sess-one`.");
      const { json } = await place.json(["claim", "break", "1", "--file", STATE, "--reason", "r", "--yes"]);
      expect(json.code).toBe("E_STILL_ALIVE");
      expect(json.message).not.toContain("pid 0");
      expect(commandIn(json.hint)).toBe("refloat stop sess-one");
      const [{ session }] = (await place.json(["claim", "status"])).json.claims.filter(
        ({ file }: JsonObject) => file !== null,
      );
      const stop = await place.json(["stop", session]);
      expect([stop.code, stop.json.code]).toEqual([64, "E_USAGE"]);
      expect(commandIn(stop.json.message)).toBe("refloat stop sess-one");
    });
  });

  it("origin 003.23: `.lock = {}` by hand frees nobody who is at work: the refusal names the command that does", async () => {
    const { place, file } = await withState();
    await place.refloat(["step", "start", "1", "--owner", "ann"]);
    edit(file, (doc) => {
      doc.lock = {};
    });
    const { hint } = await held(place);
    expect(paste(place, `${commandIn(hint)} --yes`).code).toBe(0);
    expect((await place.json(["step", "start", "1", "--owner", "bob"])).code).toBe(0);
  });
});

describe("a takeover", () => {
  it("origin 003.11: of a claim that only the file knew shows in `claim status`, with from whom", async () => {
    const { place, file } = await withState();
    edit(file, (doc) => {
      Object.assign(doc.steps["1"].claim, stranger("2020-01-01T00:00:00Z"));
    });
    const before = (await place.json(["claim", "status"])).json.claims;
    expect(before).toMatchObject([{ held: false, owner: { label: "stranger" }, file }]);
    const taken = await place.refloat(["step", "start", "1", "--owner", "ann"]);
    expect(taken.stdout).toContain("Taken over from stranger, who was gone.");
    expect((await place.json(["claim", "status"])).json.claims).toMatchObject([
      { held: true, owner: { label: "ann" }, taken_from: { owner: "stranger", why: "lost" } },
    ]);
    expect((await place.refloat(["claim", "status"])).stdout).toContain(
      "ann took it from stranger, who was gone.",
    );
  });
});

describe("a claim that is carried to another store by its token", () => {
  it("origin 003.46: is no takeover: nobody was gone, and it is no other try", async () => {
    const { place, file } = await withState();
    const { json } = await place.json(["step", "start", "1", "--owner", "ann"]);
    const before = docOf(file).steps["1"].claim;
    const env = { REFLOAT_HOME: temporaryFolder() };
    const order = ["step", "sub", "1", "phase_1_discovery", "--owner", "ann", "--token", json.token];
    const moved = await place.json(order, { env });
    expect(moved.code, JSON.stringify(moved.json)).toBe(0);
    expect(docOf(file).steps["1"].claim).toEqual({ ...before, heartbeat: expect.any(String) });
    expect((await place.json(["claim", "status"], { env })).json.claims).toMatchObject([
      { held: true, owner: { label: "ann" }, taken_from: null },
    ]);
    expect((await place.refloat(["claim", "status"], { env })).stdout).not.toContain("who was gone");
  });
});

describe("the command of a finding about a step that somebody holds", () => {
  const BEGUN = "2026-01-01T00:00:00Z";
  const LATER = { status: "complete", started: BEGUN, completed: BEGUN };
  const gaps = async (place: Place): Promise<readonly JsonObject[]> =>
    (await place.json(["state", "validate", STATE])).json.findings.filter(
      ({ rule }: JsonObject) => rule === "gap" || rule === "no-time" || rule === "never-run",
    );

  it.each([
    ["nobody by name", ["manual"]],
    ["an owner by name", ["ann o'hara"]],
    ["a live session", ["session"]],
    ["somebody only the file knows", ["claim"]],
    ["a lock that only the file knows", ["lock"]],
  ])(
    "held by %s: it can be typed as it stands, helps, and takes the step from nobody at work (T6, K2)",
    async (_who, [who]) => {
      const { place, file } = await withState();
      await place.withStore(async (store) => {
        await store.begin({ id: "sess-one", agent: "t", workspace: place.workspace });
        const env: Record<string, string> = who === "session" ? { REFLOAT_SESSION: "sess-one.1.x" } : {};
        const by = who === "ann o'hara" ? ["--owner", who] : [];
        if (who !== "claim" && who !== "lock") await place.json(["step", "start", "1", ...by], { env });
        edit(file, (doc) => {
          if (who === "claim") Object.assign(doc.steps["1"].claim, stranger());
          if (who === "lock") doc.lock = { ...stranger(), acquired: null };
          Object.assign(doc.steps["1"], { status: "in_progress", started: null });
          Object.assign(doc.steps["3"], LATER);
          Object.assign(doc.steps["4"], { status: "complete" });
        });
        const holder = docOf(file).steps["1"].claim.owner_id;
        const found = await gaps(place);
        expect(found.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
          "no-time steps.1.started",
          "never-run steps.4",
          "gap steps.1",
          "gap steps.2",
          "gap steps.3.5",
        ]);
        // One after the other, as they are printed: each order may show the lock of whoever is at work.
        for (let left = found; left.length > 0; left = await gaps(place)) {
          const [{ command }] = left as [JsonObject];
          const { code, output } = paste(place, String(command));
          expect(code, `${command}\n${output}`).toBe(0);
        }
        const now = docOf(file).steps["1"].claim;
        if (who === "session" || who === "claim") expect(now.owner_id).toBe(holder);
        expect(now.event_log.map(({ type }: JsonObject) => type)).not.toContain("takeover");
      });
    },
  );
});

describe("claim break", () => {
  it.each(["claim", "lock"])(
    "of a %s that only the file knows speaks of no try: this store never gave one (T1)",
    async (what) => {
      const { place, file } = await withState();
      edit(file, (doc) => {
        if (what === "lock") doc.lock = { ...stranger(), acquired: null };
        else Object.assign(doc.steps["1"].claim, stranger());
      });
      const command = `refloat claim break ${what === "lock" ? "lock" : "1"} --file ${STATE} --reason r`;
      const planned = paste(place, `${command} --dry-run`);
      expect(planned.output).toContain("by the file's word; the owner is in the file");
      const done = paste(place, `${command} --yes`);
      expect(done.output).toContain("The claim is free; what stranger had is over.");
      expect(planned.output + done.output).not.toMatch(/\d(?:th|st|nd|rd) try/);
    },
  );

  it("of a step that this store gave says which try it was", async () => {
    const { place } = await withState();
    await place.refloat(["step", "start", "1", "--owner", "ann"]);
    const command = `refloat claim break 1 --file ${STATE} --reason r`;
    expect(paste(place, `${command} --dry-run`).output).toContain("(1st try; the owner is");
    expect(paste(place, `${command} --yes`).output).toContain("the 1st try cannot write any more");
  });
});

describe("a live session", () => {
  it("origin 003.10: `state validate`, `state repair` and `doctor --fix` leave its claim alone, whatever its age in the file (K2)", async () => {
    const { place, file } = await withState();
    await place.withStore(async (store) => {
      await store.begin({ id: "sess-one", agent: "t", workspace: place.workspace });
      const env = { REFLOAT_SESSION: "sess-one.1.x" };
      const { json } = await place.json(["step", "start", "1"], { env });
      edit(file, (doc) => {
        doc.steps["1"].claim.heartbeat = doc.lock.heartbeat = "2020-01-01T00:00:00Z";
      });
      expect((await place.json(["state", "validate"])).json.findings).toEqual([]);
      await place.refloat(["state", "repair"]);
      const { json: doctor } = await place.json(["doctor", "--fix"]);
      const about = doctor.findings.filter(({ check }: JsonObject) => /state|claim/.test(String(check)));
      expect(about).toEqual([]);
      expect(docOf(file).steps["1"].claim).toMatchObject({ owner_id: "sess-one.1", event_log: [] });
      const on = await place.json(["step", "sub", "1", "phase_1_discovery", "--token", json.token], { env });
      expect(on.code).toBe(0);
    });
  });

  it.each(["SQLite", "PostgreSQL"])(
    "origin 003.45: under `run` the heartbeat in the file is renewed by the supervisor while the agent does something else, on %s",
    async (driver) => {
      const { place, file } = await withState();
      const server = driver === "PostgreSQL" ? await startServer() : null;
      onTestFinished(() => server?.stop());
      const env: Record<string, string> = server ? { REFLOAT_STORE: server.url } : {};
      edit(file, (doc) => {
        doc.stale_threshold_ms = 4000;
      });
      const PATH = pathWithProgram();
      const script = "refloat step start 1 >/dev/null && echo started && cat";
      const child = place.start(["run", "--", "sh", "-c", script], { env: { ...env, PATH } });
      try {
        await new Promise((resolve) => child.stdout?.once("data", resolve));
        const first = docOf(file).steps["1"].claim;
        while (docOf(file).steps["1"].claim.heartbeat === first.heartbeat)
          await new Promise((resolve) => setTimeout(resolve, 200));
        expect(docOf(file).steps["1"].claim).toEqual({ ...first, heartbeat: expect.any(String) });
        const said = await place.json(["state", "validate"], { env });
        expect(said.json.findings).toEqual([]);
      } finally {
        child.stdin?.end();
        await new Promise((resolve) => child.once("close", resolve));
      }
      expect((await place.json(["claim", "status"], { env })).json.claims).toMatchObject([{ held: false }]);
    },
  );
});

/** `transcript check` and `transcript repair` as they are typed (DESIGN 10): what they say, what they write, and what they do no harm to. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";

const SESSIONS = ".pi/agent/sessions/--srv-agents-repo-pi-tool--";
const FIXTURE = join(import.meta.dirname, "../agents/transcripts/pi/killed-in-tool", SESSIONS);
const LINE_BYTES = 16 * 1024 * 1024;

function transcript(place: Place, name = "session.jsonl"): string {
  const [fixture = ""] = readdirSync(FIXTURE);
  const file = join(place.workspace, name);
  copyFileSync(join(FIXTURE, fixture), file);
  return file;
}

/** The last record is cut in two. */
function tornTranscript(place: Place): string {
  const file = transcript(place);
  truncateSync(file, statSync(file).size - 40);
  return file;
}

describe("transcript check", () => {
  it("T6: names repairing only where a copy would be without some of the damage", async () => {
    const place = makePlace();
    const file = transcript(place);
    const [, second = ""] = readFileSync(file, "utf8").split("\n");
    appendFileSync(file, `${second}\n`);
    const doubled = await place.refloat(["transcript", "check", file]);
    expect([doubled.code, doubled.stdout]).toEqual([5, expect.stringContaining("duplicate")]);
    expect(doubled.stdout).not.toContain("transcript repair");
    expect(doubled.stdout).toContain("None of it can be mended");
    truncateSync(file, statSync(file).size - 40);
    const torn = await place.refloat(["transcript", "check", file]);
    expect(torn.stdout).toContain(`refloat transcript repair ${file}`);
  });

  it("tells the agent by content, and says how it ended, its calls and that nothing is damaged; it writes nothing", async () => {
    const place = makePlace();
    const file = transcript(place, "any name at all");
    const before = readFileSync(file);
    const { code, json } = await place.json(["transcript", "check", "any name at all"]);
    expect(code).toBe(0);
    expect(json).toEqual({
      schema: "refloat.transcript-check/1",
      file,
      agent: "pi",
      version: null,
      session: "01a1dd09-78da-74bd-88a1-bda2f5c0c3e0",
      workspace: "/srv/agents/repo-pi-tool",
      status: "dirty-in-tool",
      messages: 3,
      calls: [
        { id: "call_mwh7ugld2", tool: "write", status: "done" },
        { id: "call_mwh7ugme4", tool: "bash", status: "interrupted" },
      ],
      calls_left_out: 0,
      damage: [],
      damage_left_out: 0,
      unknown: [],
    });
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(place.workspace)).toEqual(["any name at all"]);
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("exits 5 with the line and byte of each damaged place, in the order of the file", async () => {
    const place = makePlace();
    const file = transcript(place);
    const [head = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    const [one, two, three, ...rest] = lines;
    writeFileSync(file, `${head}\n${one}${two}\n\0\0\n${three}\n${three}\n${rest.join("\n")}\n{"type":`);
    const ran = await place.refloat(["transcript", "check", file]);
    expect(ran.code).toBe(5);
    expect(ran.stdout).toContain("Damaged in 4 places");
    const { code, json } = await place.json(["transcript", "check", file]);
    expect(code).toBe(5);
    const begin = Buffer.byteLength(`${head}\n`);
    expect(
      json.damage.map(({ kind, at }: { kind: string; at: { line: number } }) => [kind, at.line]),
    ).toEqual([
      ["glued", 2],
      ["nul", 3],
      ["duplicate", 5],
      ["torn", 10],
    ]);
    expect(json.damage[0].at).toEqual({ line: 2, byte: begin });
  });

  it("says that no agent it knows wrote a file, with the way to say whose it is; --agent overrides", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, "notes.json"), '{"a":1}\n');
    const { code, json } = await place.json(["transcript", "check", "notes.json"]);
    expect([code, json.code]).toEqual([1, "E_NO_TRANSCRIPT"]);
    expect(json.hint).toContain("--agent");
    const told = await place.json(["transcript", "check", "notes.json", "--agent", "pi"]);
    expect([told.code, told.json.agent, told.json.status]).toEqual([0, "pi", "lost"]);
    const nobody = await place.json(["transcript", "check", "notes.json", "--agent", "nobody"]);
    expect([nobody.code, nobody.json.code]).toEqual([64, "E_USAGE"]);
  });

  it("waits for no pipe, reads no device and no folder, and follows a link to a file", async () => {
    const place = makePlace();
    spawnSync("mkfifo", [join(place.workspace, "pipe")]);
    mkdirSync(join(place.workspace, "folder"));
    symlinkSync("nowhere", join(place.workspace, "dead"));
    symlinkSync("circle", join(place.workspace, "circle"));
    for (const name of ["pipe", "folder", "dead", "circle", "/dev/zero", "missing"]) {
      const { code, json } = await place.json(["transcript", "check", name]);
      expect([name, code, json.code]).toEqual([name, 1, "E_NO_FILE"]);
      const repair = await place.json(["transcript", "repair", name]);
      expect([name, repair.code, repair.json.code]).toEqual([name, 1, "E_NO_FILE"]);
    }
    transcript(place);
    symlinkSync("session.jsonl", join(place.workspace, "link"));
    expect((await place.json(["transcript", "check", "link"])).json.agent).toBe("pi");
  });

  it("passes over a line without an end and says so; what stands behind it is read", async () => {
    const place = makePlace();
    const file = transcript(place);
    const size = statSync(file).size;
    // A hole in the file: gigabytes that are not on the disk.
    truncateSync(file, size + 3 * LINE_BYTES);
    appendFileSync(file, `\n{"type":"label","id":"aaaaaaaa","parentId":"nobody"}\n`);
    const { code, json } = await place.json(["transcript", "check", file]);
    expect(code).toBe(5);
    expect(json.damage.map(({ kind }: { kind: string }) => kind)).toEqual(["over-long", "dangling-parent"]);
    expect(json.damage[0].at.byte).toBe(size);
  });
});

describe("transcript repair", () => {
  it("writes a copy beside the file, says where, keeps the original and never writes over anything", async () => {
    const place = makePlace();
    const file = tornTranscript(place);
    const before = readFileSync(file);
    const first = await place.json(["transcript", "repair", "session.jsonl"]);
    expect([first.code, first.json.copy]).toEqual([0, `${file}.repaired`]);
    expect(first.json.mended.map(({ kind }: { kind: string }) => kind)).toEqual(["torn"]);
    const copy = readFileSync(`${file}.repaired`, "utf8");
    expect(before.toString().startsWith(copy)).toBe(true);
    expect(copy.endsWith("}\n")).toBe(true);
    expect((await place.json(["transcript", "check", `${file}.repaired`])).code).toBe(0);
    const again = await place.json(["transcript", "repair", "session.jsonl"]);
    expect(again.json.copy).toBe(`${file}.repaired-2`);
    expect(readFileSync(file)).toEqual(before);
    expect(readFileSync(`${file}.repaired`, "utf8")).toBe(copy);
  });

  it("prints the command that puts the copy in its place, which can be typed and loses nothing (T6)", async () => {
    const place = makePlace();
    const file = tornTranscript(place);
    const torn = readFileSync(file);
    const { stdout } = await place.refloat(["transcript", "repair", file]);
    const command = /In its place: (.*)$/m.exec(stdout)?.[1] ?? "";
    spawnSync("sh", ["-c", command]);
    expect((await place.json(["transcript", "check", file])).code).toBe(0);
    expect(readFileSync(`${file}.damaged`)).toEqual(torn);
  });

  it("writes no copy where there is nothing to mend, and names what stays: what is doubled, and what is too long", async () => {
    const place = makePlace();
    const file = transcript(place);
    expect((await place.json(["transcript", "repair", file])).json.copy).toBe(null);
    const last = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
    appendFileSync(file, `${last}\n`);
    appendFileSync(file, Buffer.alloc(LINE_BYTES + 1, "x"));
    const { json } = await place.json(["transcript", "repair", file]);
    expect(json.copy).toBe(null);
    expect(json.left.map(({ kind }: { kind: string }) => kind)).toEqual(["duplicate", "over-long"]);
    expect(readdirSync(place.workspace)).toEqual(["session.jsonl"]);
  });

  it("copies what is too long to be held byte by byte", async () => {
    const place = makePlace();
    const file = transcript(place);
    const long = Buffer.alloc(LINE_BYTES + 4321, "y");
    appendFileSync(file, Buffer.concat([long, Buffer.from('\n{"type":"la')]));
    const { json } = await place.json(["transcript", "repair", file]);
    expect(readFileSync(json.copy).equals(readFileSync(file).subarray(0, -'{"type":"la'.length))).toBe(true);
  });
});

describe("rebuild", () => {
  it("writes what the transcript shows into a new folder, with a label and the calls of each file; nothing over what is there (T1, W3)", async () => {
    const place = makePlace();
    const file = transcript(place);
    const before = readFileSync(file);
    const order = ["rebuild", "--file", "session.jsonl", "--to", "rebuilt"];
    const listed = await place.json([...order, "--dry-run"]);
    expect(listed.json).toMatchObject({ done: false, files: [{ path: "half.txt" }] });
    expect(readdirSync(place.workspace)).toEqual(["session.jsonl"]);
    const { code, json } = await place.json(order);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ...{
        schema: "refloat.rebuild/1",
        session: null,
        agent: "pi",
        workspace: "/srv/agents/repo-pi-tool",
        done: true,
      },
      files: [{ path: "half.txt", bytes: 11, calls: ["call_mwh7ugld2"] }],
    });
    expect(readFileSync(join(place.workspace, "rebuilt/half.txt"), "utf8")).toBe("begin file\n");
    expect(await place.json(order)).toMatchObject({ code: 1, json: { code: "E_NOT_EMPTY" } });
    const at = await place.json([...order.slice(0, -1), "as-of", "--at", "call_mwh7ugld2"]);
    expect(at.json).toMatchObject({ files: [{ label: "exact", why: null }] });
    expect(readFileSync(file)).toEqual(before);
  });

  it("ends with 1 where there is nothing to rebuild, and with 64 without a folder", async () => {
    const place = makePlace();
    const file = transcript(place);
    const [head = ""] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${head}\n`);
    const order = ["rebuild", "--file", "session.jsonl", "--to", "rebuilt"];
    expect(await place.json(order)).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_REBUILD" } });
    expect(await place.json(order.slice(0, 3))).toMatchObject({ code: 64, json: { code: "E_USAGE" } });
    expect(readdirSync(place.workspace)).toEqual(["session.jsonl"]);
  });
});

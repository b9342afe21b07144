/** "Disciplined enough to revert their own incomplete work when time runs short": they must know that it does. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const LONG = { timeout: 300_000 };

function scene(): { place: Place; read: (name: string) => string | null } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit("base");
  const at = (name: string): string => join(place.home, name);
  return { place, read: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8").trim() : null) };
}

/** Its own words go outside of the tree: they are no work. */
const say = (place: Place, text: string, file: string): string =>
  `echo "${text}" >> '${join(place.home, file)}'`;

const nowSeconds = (): number => Date.now() / 1000;

describe("a deadline that the agent can read", LONG, () => {
  it("origin 000.69: is in its environment under a timeout, in seconds since 1970, and never later than the end", async () => {
    const { place, read } = scene();
    const before = Math.floor(nowSeconds());
    await place.refloat([
      "run",
      "--timeout",
      "1h",
      "--",
      "/bin/sh",
      "-c",
      say(place, "$REFLOAT_DEADLINE", "d"),
    ]);
    expect(read("d")).toMatch(/^\d+$/);
    expect(Number(read("d"))).toBeGreaterThanOrEqual(before + 3600);
    expect(Number(read("d"))).toBeLessThanOrEqual(nowSeconds() + 3600);
  });

  it("origin 000.69: is that of a loop's time where no session has one of its own, and the earlier of both", async () => {
    const { place, read } = scene();
    const script = say(place, "$REFLOAT_DEADLINE", "d");
    const loop = ["loop", "--max", "1", "--max-time", "10m"];
    const before = Math.floor(nowSeconds());
    await place.refloat([...loop, "--", "/bin/sh", "-c", script]);
    await place.refloat([...loop, "--timeout", "5m", "--", "/bin/sh", "-c", script]);
    const [first = "", second = ""] = (read("d") ?? "").split("\n");
    expect(Number(first)).toBeGreaterThanOrEqual(before + 300);
    expect(Number(first)).toBeLessThanOrEqual(nowSeconds() + 600);
    expect(Number(second)).toBeGreaterThanOrEqual(before + 300);
    expect(Number(second)).toBeLessThanOrEqual(nowSeconds() + 300);
  });

  it("is not there without a timeout; of a run inside of another the earlier one counts, and one that is past is nobody's", async () => {
    const { place, read } = scene();
    const script = say(place, "<$REFLOAT_DEADLINE>", "d");
    const run = (env: Readonly<Record<string, string>>, ...flags: string[]) =>
      place.refloat(["run", ...flags, "--", "/bin/sh", "-c", script], { env });
    const soon = String(Math.floor(nowSeconds()) + 100);
    await run({});
    await run({ REFLOAT_DEADLINE: soon });
    await run({ REFLOAT_DEADLINE: soon }, "--timeout", "1h");
    await run({ REFLOAT_DEADLINE: "1000" });
    expect(read("d")?.split("\n")).toEqual(["<>", `<${soon}>`, `<${soon}>`, "<>"]);
  });
});

describe("run --warn", LONG, () => {
  /** Waits for the warning, then finishes its work and ends by itself. */
  const listening = (place: Place, signal: string): string =>
    [
      `trap 'echo done >> a.txt; ${say(place, "told", "told")}; exit 0' ${signal}`,
      say(place, "ready", "ready"),
      "while :; do sleep 0.1; done",
    ].join("\n");

  it("origin 000.69: tells an agent that listens before its time is up, who then ends by itself with its work whole: nothing was cut off", async () => {
    const { place, read } = scene();
    const flags = ["--timeout", "60s", "--warn", "57s"];
    const ran = await place.refloat(["run", ...flags, "--", "/bin/sh", "-c", listening(place, "URG")]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("its time is up in 57 s: the agent was told by SIGURG");
    expect(read("told")).toBe("told");
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions[0]).toMatchObject({ state: "finished", cause: "clean" });
    const { done } = (await place.json(["handoff"])).json;
    expect(done.map(({ text }: JsonObject) => text)).toContain("told it 57 s before its time was up");
  });

  it("origin 000.69: does nothing to one that does not listen: it works on until the timeout ends it", async () => {
    const { place, read } = scene();
    const script = `sleep 3; ${say(place, "worked on", "w")}; sleep 60`;
    const flags = ["--timeout", "10s", "--warn", "9s", "--drain", "1s"];
    const ran = await place.refloat(["run", ...flags, "--", "/bin/sh", "-c", script]);
    expect(ran.code).toBe(124);
    expect(read("w")).toBe("worked on");
    expect((await place.json(["sessions"])).json.sessions[0]).toMatchObject({
      state: "interrupted",
      cause: "timeout",
    });
  });

  it("origin 000.69: by the signal its user names, to the program itself alone; every session of a loop is told, too", async () => {
    const { place, read } = scene();
    const flags = ["--timeout", "60s", "--warn", "57s", "--warn-signal", "usr1"];
    const agent = ["--", "/bin/sh", "-c", listening(place, "USR1")];
    expect((await place.refloat(["run", ...flags, ...agent])).code).toBe(0);
    const looped = await place.refloat(["loop", "--max", "2", "--backoff", "100ms", ...flags, ...agent], {
      env: ANN,
    });
    expect(looped.code).toBe(0);
    expect(read("told")?.split("\n")).toEqual(["told", "told", "told"]);
  });

  it("wants a time to be told of, and a signal that can be heard", async () => {
    const { place } = scene();
    for (const flags of [
      ["--warn", "5m"],
      ["--timeout", "1h", "--warn", "soon"],
      ["--timeout", "1h", "--warn-signal", "USR1"],
      ["--timeout", "1h", "--warn", "5m", "--warn-signal", "KILL"],
      ["--timeout", "1h", "--warn", "5m", "--warn-signal", "nothing"],
    ])
      expect([flags, (await place.refloat(["run", ...flags, "--", "true"])).code]).toEqual([flags, 64]);
    const looped = await place.refloat([
      "loop",
      "--max",
      "1",
      "--max-time",
      "1h",
      "--warn",
      "5m",
      "--",
      "true",
    ]);
    expect(looped.code).toBe(0);
  });
});

describe("an agent that takes its own incomplete work back", LONG, () => {
  it("origin 000.68: gives an operation up when it is told, and what it left of it goes back to HEAD by the policy of who started it, undoably; the agent itself may not settle (T2, S5)", async () => {
    const { place, read } = scene();
    const op = `'${process.execPath}' '${BIN}'`;
    const script = [
      `${op} op begin rewrite --path a.txt`,
      "echo half > a.txt",
      `trap '${op} op end --abort; ${op} settle --yes > /dev/null 2>&1; ${say(place, "$?", "refused").replaceAll("'", "")}; exit 0' URG`,
      "while :; do sleep 0.1; done",
    ].join("\n");
    const flags = ["--timeout", "60s", "--warn", "55s", "--max", "1", "--settle", "revert-or-commit"];
    const ran = await place.refloat(["loop", ...flags, "--", "/bin/sh", "-c", script], { env: ANN });
    expect(ran.code).toBe(0);
    expect(read("refused")).not.toBe("0");
    const file = join(place.workspace, "a.txt");
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect((await place.refloat(["undo", "--yes"], { env: ANN })).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("half\n");
  });
});

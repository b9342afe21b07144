/** T2 on the page: who acts is a person. The judged are known by their mark, whichever way they come. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, type JsonObject } from "../support/cli.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene, stateOf } from "../support/two-faces.ts";
import { withPage } from "./served.ts";

const AGENT = join(import.meta.dirname, "asking-agent.mjs");

async function jsonIn(path: string): Promise<JsonObject> {
  const isWhole = (): boolean => existsSync(path) && /\}\s*$/.test(readFileSync(path, "utf8"));
  while (!isWhole()) await sleep(50);
  return JSON.parse(readFileSync(path, "utf8")) as JsonObject;
}

describe("acts from the page", { timeout: 180_000 }, () => {
  it("T2: an agent under a session's mark that has the token of a person's page plans with it, and acts on nothing", async () => {
    need("proc");
    const at = scene();
    await leftTwoFiles(at.place, at.repo);
    const before = stateOf(at);
    await withPage(at.place, async (page) => {
      const note = join(temporaryFolder(), "note");
      const asking = [process.execPath, AGENT, page.origin, page.token, "left-session", note];
      // Also without the variable itself: its parents have it.
      for (const [way, command] of [
        ["under its mark", asking],
        ["without the variable", ["sh", "-c", 'env -u REFLOAT_SESSION "$@"; true', "sh", ...asking]],
      ] as const) {
        const target = `${note} ${way}`;
        const { code } = await at.place.refloat(["run", "--", ...command.slice(0, -1), target], { env: ANN });
        expect(code).toBe(0);
        const { plan, applied, verified, others } = await jsonIn(target);
        expect([way, plan.kind]).toEqual([way, "answer"]);
        expect([way, applied.code, applied.status]).toEqual([way, "E_UNDER_MARK", 403]);
        expect([way, verified.code]).toEqual([way, "E_UNDER_MARK"]);
        expect([way, ...others.map(({ code }: JsonObject) => code)]).toEqual([
          way,
          ...Array(6).fill("E_UNDER_MARK"),
        ]);
        expect(stateOf(at)).toEqual(before);
      }
      // A person's program, by the same words.
      const mine = `${note} mine`;
      spawn(process.execPath, [...asking.slice(1, -1), mine]);
      expect((await jsonIn(mine)).applied).toMatchObject({ kind: "answer", done: true });
    });
  });

  it("T2: a server that an agent started acts on nothing, though it took its mark away and outlives the agent", async () => {
    need("proc");
    const at = scene();
    const { place } = at;
    await leftTwoFiles(place, at.repo);
    const before = stateOf(at);
    const out = join(temporaryFolder(), "address");
    const started = `env -u REFLOAT_SESSION "$0" "$1" serve --no-open --json > "$2" & echo $!; while [ ! -s "$2" ]; do sleep 0.1; done`;
    const env = {
      ...{ PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home, ...ANN },
      REFLOAT_SESSION: "left-session.1.abc",
    };
    const ran = spawnSync("sh", ["-c", started, process.execPath, BIN, out], {
      cwd: place.workspace,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const pid = Number(ran.stdout.trim());
    onTestFinished(() => void process.kill(pid));
    const { address } = await jsonIn(out);
    const { origin, hash } = new URL(String(address));
    const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
    const home = await fetch(`${origin}/api/home`, { headers: { "x-refloat-token": token } });
    expect(await home.json()).toMatchObject({ may_act: false });
    const note = join(temporaryFolder(), "note");
    spawn(process.execPath, [AGENT, origin, token, "left-session", note]);
    expect((await jsonIn(note)).applied).toMatchObject({ kind: "error", code: "E_UNDER_MARK" });
    expect(stateOf(at)).toEqual(before);
  });
});

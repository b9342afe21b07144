/** DESIGN 10, first paragraph: flags, ids, errors, streams. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stranger } from "./stranger.ts";

describe("the global flags", () => {
  it("stand before or after the command, with a space or an equals sign, and --color stands alone", () => {
    const me = stranger();
    mkdirSync(join(me.repo, "sub"));
    const elsewhere = { cwd: me.home };
    const asked = [
      ["-C", me.repo, "--json", "sessions"],
      ["sessions", "--json", "-C", me.repo],
      ["--color", "--quiet", "--no-input", "sessions", "-C", join(me.repo, "sub"), "--json"],
      ["--color=never", `--store=${join(me.home, "other.db")}`, "sessions", "--json", "-C", me.repo],
    ];
    for (const words of asked) {
      const { code, stdout } = me.refloat(words, elsewhere);
      expect([words, code]).toEqual([words, 0]);
      expect(JSON.parse(stdout)).toEqual({ schema: "refloat.sessions/1", workspace: me.repo, sessions: [] });
    }
    expect(me.refloat(["--color"]).stdout).toContain("\x1b[");
    expect(me.refloat(["--color", "status"], { env: { NO_COLOR: "1" } }).stdout).toContain("\x1b[");
    expect(me.refloat([], { env: { NO_COLOR: "1" } }).stdout).not.toContain("\x1b[");
  });

  it("name a command's schema by its words; `refloat` alone is `refloat status`", () => {
    const me = stranger();
    const bare = me.json([]);
    expect(bare.code).toBe(0);
    expect(bare.json.schema).toBe("refloat.status/1");
    expect(me.json(["status"]).json).toEqual(bare.json);
    expect(me.json(["claim", "status"]).json.schema).toBe("refloat.claim-status/1");
    expect(me.json(["store", "check"], { env: { REFLOAT_HOME: join(me.home, "none") } }).json.schema).toBe(
      "refloat.error/1",
    );
  });
});

describe("an ID", () => {
  it("that is left out where no session is gives exit 1 and E_NO_SESSION, whatever the command, and the tree stays as it is", () => {
    const me = stranger();
    const commands = [
      ["show"],
      ["log"],
      ["log", "--follow"],
      ["handoff"],
      ["settle"],
      ["settle", "--yes"],
      ["commit", "--all"],
      ["park", "--safe"],
      ["discard", "--all"],
      ["last-good", "--verify", "true"],
      ["resume"],
      ["stop", "nobody"],
      ["claim", "break", "nobody", "--reason", "gone"],
    ];
    for (const words of commands) {
      const { code, json } = me.json(words);
      expect([words, code, json.code]).toEqual([words, 1, "E_NO_SESSION"]);
      expect(Object.keys(json)).toEqual(["schema", "code", "message", "hint"]);
    }
    expect(me.git("status", "--porcelain")).toBe("");
  });

  it("is a full id, a unique prefix of four characters or more, or a name; left out: the newest unsettled", () => {
    const me = stranger();
    expect(me.refloat(["run", "--name", "nightly", "--", "sh", "-c", "echo n > new.txt"]).code).toBe(0);
    expect(me.refloat(["run", "--name=later", "--", "true"]).code).toBe(0);
    const { sessions } = me.json(["sessions"]).json;
    const nightly = sessions.find(({ name }: { name: string }) => name === "nightly");
    expect(Object.keys(nightly)).toEqual(
      expect.arrayContaining(
        "id name agent workspace state unsettled supervised cause attempt dirty_ends started_at ended_at".split(
          " ",
        ),
      ),
    );
    expect(nightly).toMatchObject({
      state: "finished",
      unsettled: true,
      cause: "clean",
      attempt: 1,
      dirty_ends: 0,
    });
    for (const typed of [[nightly.id], [nightly.id.slice(0, 4)], ["nightly"], []])
      expect(me.json(["inspect", ...typed]).json.session.id).toBe(nightly.id);
    expect(me.json(["show", nightly.id.slice(0, 3)])).toMatchObject({
      code: 1,
      json: { code: "E_NO_SESSION" },
    });
    for (const words of [["status"], ["sessions"], ["inspect"]]) {
      expect(me.refloat([...words, "--exit-code"]).code).toBe(3);
    }
    expect(me.refloat(["sessions"]).code).toBe(0);
  });
});

describe("an error", () => {
  it("goes to stderr as text and to stdout as JSON, never both; a usage error is 64 and 2 is never used", () => {
    const me = stranger();
    const wrong = [
      ["no-such-command"],
      ["sessions", "--no-such-flag"],
      ["run"],
      ["run", "--timeout", "soon", "--", "true"],
      ["run", "--timeout", "90", "--", "true"],
      ["run", "--name", "", "--", "true"],
      ["decide", "", "yes"],
      ["settle", "--policy", "hope"],
      ["handoff", "--budget", "many"],
      ["-C", join(me.home, "nowhere"), "sessions"],
      ["store"],
    ];
    for (const words of wrong) {
      const text = me.refloat(words);
      expect([words, text.code, text.stdout]).toEqual([words, 64, ""]);
      expect(text.stderr).not.toBe("");
    }
    for (const words of [["no-such-command"], ["sessions", "--no-such-flag"], ["store"]]) {
      const { code, stdout, stderr } = me.refloat([...words, "--json"]);
      expect([words, code, stderr]).toEqual([words, 64, ""]);
      expect(JSON.parse(stdout)).toMatchObject({ schema: "refloat.error/1", code: "E_USAGE" });
    }
  });
});

/** DESIGN 10: operations, decisions, steps and the state file, and what they do where the store cannot be written. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Printed, stranger } from "./stranger.ts";

describe("op, decide and capture outside a session's mark", () => {
  it("go to a session named manual where none is live; an operation is open, ended or aborted", () => {
    const me = stranger();
    const begun = me.json(["op", "begin", "migrate", "--path", "db/**", "--path", "schema.sql"]);
    expect(begun).toMatchObject({ code: 0, json: { schema: "refloat.op-begin/1", recorded: true } });
    expect(me.json(["op", "begin", "other"]).code).toBe(0);
    expect(me.json(["op", "end", "other", "--abort"]).json.operation.state).toBe("aborted");
    expect(me.json(["op", "end"]).json.operation).toMatchObject({ label: "migrate", state: "ended" });
    expect(me.json(["op", "end"])).toMatchObject({ code: 1, json: { schema: "refloat.error/1" } });
    expect(
      me
        .json(["op", "list"])
        .json.operations.map(({ label, state }: Printed) => [label, state])
        .sort(),
    ).toEqual([
      ["migrate", "ended"],
      ["other", "aborted"],
    ]);
    expect(me.json(["decide", "orm", "none", "--reason", "small", "--step", "2"]).code).toBe(0);
    expect(me.json(["decide", "orm"])).toMatchObject({ code: 0, json: { value: "none" } });
    expect(me.json(["decide", "nothing"]).code).toBe(1);
    expect(me.json(["decisions"]).json.decisions).toMatchObject([
      { key: "orm", value: "none", reason: "small", step: "2" },
    ]);
    me.write("b.txt", "b\n");
    const held = me.json(["capture", "-m", "by hand", "b.txt"]);
    expect(held).toMatchObject({ code: 0, json: { held: 1, partial: false } });
    expect(me.json(["sessions"]).json.sessions.map(({ name }: Printed) => name)).toEqual(["manual"]);
    expect(me.json(["captures"]).json.captures[0]).toMatchObject({ id: held.json.capture, note: "by hand" });
  });

  it("print the text marker and exit 0 where the store is not writable or refloat is off, and leave nothing behind", () => {
    const me = stranger();
    const nowhere = [
      { REFLOAT_HOME: "/dev/null/sandbox" },
      { REFLOAT_STORE: "/proc/sandbox.db" },
      { REFLOAT_OFF: "1" },
    ];
    for (const env of nowhere) {
      const begun = me.refloat(["op", "begin", "migrate the\n data"], { env });
      expect([env, begun.code, begun.stdout]).toEqual([env, 0, "# BEGIN: migrate the data\n"]);
      expect(begun.stderr).not.toBe("");
      expect(me.refloat(["op", "end", "migrate"], { env })).toMatchObject({
        code: 0,
        stdout: "# END: migrate\n",
      });
      const decided = me.json(["decide", "orm", "none"], { env });
      expect(decided).toMatchObject({ code: 0, json: { recorded: false, key: "orm", value: "none" } });
    }
    expect(existsSync(join(me.home, ".local"))).toBe(false);
  });
});

describe("the state file", () => {
  it("is made, stepped through, validated, upgraded and repaired; error findings are exit 1, a held step exit 4", () => {
    const me = stranger();
    expect(me.json(["state", "init"]).code).toBe(0);
    expect(me.json(["state", "validate"])).toMatchObject({ code: 0, json: { findings: [] } });
    const started = me.json(["step", "start", "1", "--owner", "agent-1"]);
    expect(started).toMatchObject({
      code: 0,
      json: { schema: "refloat.step-start/1", status: "in_progress" },
    });
    expect(me.json(["step", "start", "1", "--owner", "agent-2"]).code).toBe(4);
    expect(me.json(["claim", "status"]).json).toMatchObject({
      scope: "this machine",
      claims: [{ held: true }],
    });
    const part = ["step", "sub", "1", "part_a", "--owner", "agent-1", "--reason", "split in two"];
    expect(me.json(part).code).toBe(0);
    expect(me.json(["decisions"]).json.decisions).toMatchObject([
      { value: "part_a", reason: "split in two" },
    ]);
    me.write("01.md", "# made\n");
    const done = [
      "step",
      "done",
      "1",
      "--owner",
      "agent-1",
      "--artifact",
      "01.md",
      "--finding",
      "look again",
    ];
    expect(me.json(done)).toMatchObject({ code: 0, json: { status: "complete" } });
    expect(me.json(["step", "skip", "2", "--reason", "not needed"]).json.status).toBe("skipped");
    expect(me.json(["step", "reset", "2", "--reason", "needed"]).json.status).toBe("pending");
    const decided = me.json(["decide", "iac_tool", "Bicep", "--reason", "known", "--step", "1"]);
    expect(decided.json).toMatchObject({ recorded: true, value: "Bicep", reason: "known", step: "1" });
    const state = JSON.parse(me.read("00-session-state.json")) as Printed;
    expect(state).toMatchObject({ schema_version: "2.0", steps: { 1: { status: "complete" } } });
    expect(me.json(["state", "upgrade", "--to", "3.0"]).code).toBe(0);
    expect(me.json(["state", "upgrade"]).code).toBe(0);
    expect(JSON.parse(me.read("00-session-state.json"))).toEqual(state);
    me.write("00-session-state.json", '{"schema_version": "2.');
    const broken = me.json(["state", "validate"]);
    expect(broken.code).toBe(1);
    expect(Object.keys(broken.json.findings[0])).toEqual(
      expect.arrayContaining(["severity", "rule", "path", "message", "command"]),
    );
    expect(broken.json.findings[0].severity).toBe("error");
    const [, ...command] = (broken.json.findings[0].command as string).split(" ");
    expect(me.json(command).code).toBe(0);
    expect(JSON.parse(me.read("00-session-state.json"))).toMatchObject({
      steps: { 1: { status: "complete" } },
    });
    const { findings } = me.json(["doctor"]).json;
    for (const one of findings)
      expect(Object.keys(one)).toEqual(expect.arrayContaining(["check", "severity", "message", "command"]));
  });
});

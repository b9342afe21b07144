/** DESIGN 10 and S1: what reading commands say of a session whose end nobody has recorded yet, and of operations marked in text. */
import { describe, expect, it } from "vitest";
import { type Printed, stranger } from "./stranger.ts";

describe("agent and supervisor were both killed, and only reading commands have looked since (S1, W1)", () => {
  it("all of them tell the same state, cause, count and last output, before its recovery and after it", () => {
    const { json, refloat, write } = stranger();
    // Killed when its supervisor has read what it printed: what was still in the pipe nobody has.
    const isRead = 'until grep -rqa two "$REFLOAT_HOME/runs"; do sleep 0.05; done';
    write(
      "../agent.sh",
      `printf 'one\\ntwo\\ncut'\necho more >> a.txt\n${isRead}\nkill -9 $PPID\nkill -9 $$\n`,
    );
    refloat(["run", "--name", "nightly", "--", "sh", "../agent.sh"]);
    const told = (): Printed => {
      const { sessions } = json(["sessions"]).json;
      const { session, turn, last_output } = json(["inspect", "nightly"]).json;
      const views = [
        sessions[0],
        json(["status"]).json.sessions[0],
        json(["show", "nightly"]).json.session,
        json(["handoff", "nightly"]).json.session,
        session,
      ];
      for (const { state, cause, dirty_ends, unsettled } of views)
        expect({ state, cause, dirty_ends, unsettled }).toEqual({
          state: "interrupted",
          cause: "unknown",
          dirty_ends: 1,
          unsettled: true,
        });
      expect(json(["handoff", "nightly"]).json.last_output).toBe(last_output);
      return { last_output, outcome: turn.outcome };
    };
    const before = told();
    expect(before).toEqual({ last_output: "one\ntwo", outcome: "interrupted" });
    expect(refloat(["settle", "--yes"]).code).toBe(0); // leaves what is unknown; recovers first
    expect(told()).toEqual(before);
  });
});

describe("operations marked in text are operations (DESIGN 8, 10)", () => {
  it("one begun in a line added to a journal, and never ended, is in the manifest and in the brief", () => {
    const { json, refloat, write, git } = stranger();
    write("journal/day.md", "# Day\n");
    git("add", "-A");
    git("commit", "-q", "-m", "journal");
    write("../agent.sh", "echo '# BEGIN: sync the config' >> journal/day.md\necho two > a.txt\nkill -9 $$\n");
    refloat(["run", "--", "sh", "../agent.sh"]);
    const open = { label: "sync the config", state: "open", paths: [] };
    expect(json(["inspect"]).json.operations).toEqual([expect.objectContaining(open)]);
    expect(json(["handoff"]).json.operations).toEqual([expect.objectContaining(open)]);
  });

  it("one begun on stdout under run is told once", () => {
    const { json, refloat, write } = stranger();
    write("../agent.sh", "echo '# BEGIN: sync'\necho two > a.txt\nkill -9 $$\n");
    refloat(["run", "--", "sh", "../agent.sh"]);
    expect(json(["inspect"]).json.operations).toMatchObject([
      { id: expect.any(String), label: "sync", state: "open", paths: [] },
    ]);
  });
});

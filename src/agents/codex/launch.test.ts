/** Codex's command lines: its own resume keeps the user's flags and gives the model the brief once, in the one place where it is heard. */
import { describe, expect, it } from "vitest";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import { codexLaunch } from "./launch.ts";

const ID = "01a1dd08-a70f-7301-b2ca-f0ab22a8c9ee";
const RESUMED = ["resume", ID, briefBefore("the brief", GO_ON)];
const resumed = (command: readonly string[]): readonly string[] | undefined =>
  codexLaunch.resume(ID, command, "the brief")?.command;
const started = (command: readonly string[]): readonly string[] | undefined =>
  codexLaunch.startWith(command, "the brief")?.command;

describe("Codex's own resume", () => {
  it("S7: keeps every flag in its place and nothing of the old prompt", () => {
    expect(resumed(["codex", "-a", "never", "exec", "--json", "-C", "/r", "do it", "-m", "x"])).toEqual([
      ...["codex", "-a", "never", "exec", "--json", "-C", "/r", "-m", "x"],
      ...RESUMED,
    ]);
    expect(resumed(["env", "A=1", "/opt/codex", "--search", "do it"])).toEqual([
      ...["env", "A=1", "/opt/codex", "--search"],
      ...RESUMED,
    ]);
    expect(resumed(["codex", "exec", "--", "--odd prompt"])).toEqual(["codex", "exec", ...RESUMED]);
  });

  it("takes the place of another choice of the thread, and sends no image and makes no worktree a second time", () => {
    expect(resumed(["codex", "exec", "resume", "--last", "more"])).toEqual(["codex", "exec", ...RESUMED]);
    expect(resumed(["codex", "fork", ID, "more"])).toEqual(["codex", ...RESUMED]);
    expect(resumed(["codex", "exec", "--worktree", "do it", "-i", "a.png", "b.png", "--json"])).toEqual([
      ...["codex", "exec", "--json"],
      ...RESUMED,
    ]);
  });

  it("is none where no thread was kept, for what is no work, and for an id that is a flag", () => {
    expect(resumed(["codex", "exec", "--ephemeral", "do it"])).toBeUndefined();
    expect(resumed(["codex", "login"])).toBeUndefined();
    expect(resumed(["codex", "exec", "review"])).toBeUndefined();
    expect(resumed(["codex", "--version"])).toBeUndefined();
    expect(codexLaunch.resume("--last", ["codex", "exec", "do it"], "b")).toBeNull();
  });
});

describe("a new conversation of Codex's", () => {
  it("has the brief before the user's prompt, told apart from it (T3)", () => {
    const prompt = briefBefore("the brief", "do it");
    expect(started(["codex", "exec", "--json", "do it"])).toEqual(["codex", "exec", "--json", prompt]);
    expect(started(["codex", "exec", "resume", ID, "do it"])).toEqual(["codex", "exec", prompt]);
    expect(started(["codex", "do it"])).toEqual(["codex", prompt]);
  });
  it("on its screen is told to go on; what reads its prompt from its input is not", () => {
    expect(started(["codex"])).toEqual(["codex", briefBefore("the brief", GO_ON)]);
    expect(started(["codex", "exec"])).toBeUndefined();
    expect(started(["codex", "exec", "-"])).toBeUndefined();
  });
});

describe("what Codex is told and tells", () => {
  it("no id is chosen for it; the one the user chose is known", () => {
    const prepared = (...words: string[]): unknown =>
      codexLaunch.agent().prepare(["codex", ...words], { id: "s", attempt: 1 });
    expect(prepared("exec", "do it")).toEqual({
      command: ["codex", "exec", "do it"],
      env: {},
      nativeId: null,
    });
    expect(prepared("resume", ID)).toMatchObject({ nativeId: ID });
    expect(prepared("resume", "a name")).toMatchObject({ nativeId: null });
  });
  it("its stream is read only where the user asked for one", () => {
    expect(codexLaunch.stream(["codex", "exec", "--json", "do it"])).not.toBeNull();
    expect(codexLaunch.stream(["codex", "exec", "do it"])).toBeNull();
    expect(codexLaunch.stream(["codex", "exec", "do it", "--", "--json"])).toBeNull();
  });
  it("S2: its shared server is told from an agent that is asked about one", () => {
    const release = "/h/.codex/packages/app-server-daemon/releases/0.166.0/bin/codex";
    expect(codexLaunch.serves?.([release, "app-server", "--listen", "unix://"])).toBe(true);
    expect(codexLaunch.serves?.([release, "app-server", "daemon", "pid-update-loop"])).toBe(true);
    expect(codexLaunch.serves?.(["codex", "exec", "app-server"])).toBe(false);
    expect(codexLaunch.serves?.(["vim", "app-server"])).toBe(false);
  });
});

/** T6: every command that is printed is run, as it stands, from where it was printed; dry where it acts. A hint that fails is a defect. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/doctor/checks.ts";
import { BIN, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly place: Place;
  readonly main: TestRepository;
  readonly side: string;
  readonly elsewhere: string;
  /** Runs a line in a shell, as a person has it: the program on the path. */
  sh(cwd: string, line: string): { code: number | null; output: string };
}

/** A session in a work tree whose name has a space and a quote in it, and one in a tree linked to it. */
async function scene(): Promise<Scene> {
  const place = makePlace();
  const folder = temporaryFolder();
  const main = testRepository(join(folder, 'it\'s "main"'));
  main.write("f.txt", "one\n");
  main.write("sub/g.txt", "one\n");
  main.commit("base");
  const side = join(folder, "the side");
  main.git("worktree", "add", "-q", "-b", "side", side);
  const linked: TestRepository = { ...main, root: side };
  await leftSession(place, main, {
    id: "in-main",
    edits: {
      "f.txt": () => main.write("f.txt", "one\ntwo\n"),
      "new.md": () => main.write("new.md", "A note.\n"),
    },
  });
  await leftSession(place, linked, {
    id: "in-side",
    edits: { "sub/g.txt": () => main.write("../the side/sub/g.txt", "one\ntwo\n") },
  });
  // Somebody who uses an agent.
  mkdirSync(join(place.home, ".claude"));
  const bin = temporaryFolder();
  symlinkSync(BIN, join(bin, "refloat"));
  const elsewhere = temporaryFolder();
  mkdirSync(join(elsewhere, "in"));
  const PATH = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { PATH, HOME: place.home, REFLOAT_HOME: place.home, COLUMNS: "80", ...ANN };
  const sh: Scene["sh"] = (cwd, line) => {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", line], {
      cwd,
      env,
      encoding: "utf8",
      input: "",
    });
    return { code: status, output: `${stdout}\n${stderr}` };
  };
  return { place, main, side, elsewhere, sh };
}

/** In marks, or from where it begins to the end of its line; what is set off by two spaces is said about it. */
function commandsIn(output: string): string[] {
  const marked = [...output.matchAll(/`(refloat [^`]+)`/g)].map(([, command]) => command ?? "");
  const open = output
    .replace(/`[^`]*`/g, "")
    .split("\n")
    .flatMap((line) => /(?:^\s*|: )(refloat (?:-|[a-z]).*?)(?: {2,}.*)?$/.exec(line)?.[1] ?? []);
  return [...new Set([...marked, ...open])];
}

const ACTS =
  /^refloat (?:-\S+ (?:'(?:[^']|'\\'')*'|\S+) )*(?:settle|restore|undo|redo|unpark|park|commit|discard|init)\b/;
/** Something to be filled in, an agent to start, or a stream without an end. */
const NOT_RUN = / (?:DIR|WHY|CMD|PATH|FILE|COMMAND)\b| run -- |--follow|refloat demo|^refloat, /;

function runAll({ sh }: Scene, cwd: string, output: string): string[] {
  const ran: string[] = [];
  for (const command of commandsIn(output)) {
    if (NOT_RUN.test(command)) continue;
    const line = ACTS.test(command) && !command.includes("--dry-run") ? `${command} --dry-run` : command;
    const { code, output: said } = sh(cwd, line);
    expect([0, 3], `in ${cwd}\n$ ${line}\n${said}`).toContain(code);
    ran.push(command);
  }
  return ran;
}

const LOOKS = ["inspect ID", "handoff ID", "show ID", "settle ID --dry-run"];
/** What ends in a hint. */
const ERRORS = [
  "undo --plan nope",
  "settle nope",
  "restore nope",
  "unpark nope",
  "settle ID --group nope",
  "resume nope",
];

/** The farthest and the nearest place by default; those between them in the full sweep. */
const STANDING = (
  [
    [
      "where the session worked",
      "in-main",
      ({ main }: Scene) => main.root,
      ["status", "sessions", "captures", "parked"],
    ],
    ["in a folder of it", "in-main", ({ main }: Scene) => join(main.root, "sub"), ["status", "sessions"]],
    ["elsewhere, by its id", "in-main", ({ elsewhere }: Scene) => elsewhere, ["sessions", "status"]],
    ["in the main work tree, of a session in a linked one", "in-side", ({ main }: Scene) => main.root, []],
  ] as const
).filter((_, at) => isFull || at % 2 === 0);

describe("what is printed can be typed where it is printed (T6)", () => {
  it.each(STANDING)(
    "%s, acts and what takes them back included",
    async (_where, id, standing, more) => {
      const s = await scene();
      const cwd = standing(s);
      const ran: string[] = [];
      for (const command of [...more, ...LOOKS, ...ERRORS])
        ran.push(...runAll(s, cwd, s.sh(cwd, `refloat ${command.replace("ID", id)}`).output));
      const done = s.sh(cwd, `refloat park ${id} --all --yes`);
      expect(done.code, done.output).toBe(0);
      ran.push(...runAll(s, cwd, done.output));
      const [undo = ""] = commandsIn(done.output);
      const json = JSON.parse(
        s.sh(cwd, `refloat park ${id} --all --yes --json`).output.trim().split("\n")[0] ?? "{}",
      );
      expect(json.plan).toBeDefined();
      const undone = s.sh(cwd, `${undo} --yes`);
      expect(undone.code, `${undo}\n${undone.output}`).toBe(0);
      ran.push(...runAll(s, cwd, undone.output));
      expect(ran.length).toBeGreaterThan(8);
    },
    600_000,
  );

  it("names the directory where that is not the one somebody stands in, and finds a plan by its id from anywhere", async () => {
    const s = await scene();
    expect(s.sh(s.main.root, "refloat inspect in-main").output).not.toContain(`In ${s.main.root}`);
    for (const command of ["inspect in-main", "settle in-main --dry-run"])
      expect(s.sh(s.elsewhere, `refloat ${command}`).output).toContain(`In ${s.main.root}:`);
    const { plan } = JSON.parse(
      s.sh(s.elsewhere, "refloat park in-main --all --yes --json").output.split("\n")[0] ?? "",
    );
    const undone = s.sh(s.elsewhere, `refloat undo --plan ${plan.id} --yes`);
    expect(undone.code, undone.output).toBe(0);
    expect(s.main.git("status", "--porcelain")).toBe(" M f.txt\n?? new.md");
  }, 300_000);

  it("with -C and --store, which every printed command has, too", async () => {
    const s = await scene();
    const other = join(temporaryFolder(), "a b.db");
    const cwd = dirname(s.main.root);
    const flags = `-C "it's \\"main\\"" --store '${other}'`;
    const done = s.sh(cwd, `refloat ${flags} park --adopt --all --yes`);
    expect(done.code, done.output).toBe(0);
    const [undo = ""] = commandsIn(done.output);
    expect(s.sh(cwd, `${undo} --yes`).code).toBe(0);
    expect(s.main.git("status", "--porcelain")).toBe(" M f.txt\n?? new.md");
    expect(s.sh(cwd, `refloat ${flags} capture`).code).toBe(0);
    for (const command of ["status", "captures", "inspect", "settle --adopt --dry-run"]) {
      const { output } = s.sh(cwd, `refloat ${flags} ${command}`);
      for (const one of commandsIn(output).filter((line) => !NOT_RUN.test(line)))
        expect(one, command).toContain(`--store '${other}'`);
      runAll(s, cwd, output);
    }
  }, 300_000);

  it("of a run that was cut off, its report, a loop that settled or stopped, what it notifies, and of the doctor: with -C and --store, too", async () => {
    const s = await scene();
    const other = join(temporaryFolder(), "a b.db");
    const cwd = dirname(s.main.root);
    const told = join(s.place.home, "told.jsonl");
    const report = join(s.place.home, "report.json");
    const refloat = (line: string): string =>
      s.sh(cwd, `refloat -C "it's \\"main\\"" --store '${other}' ${line}`).output;
    const all = (output: string, count: number): void => {
      const commands = commandsIn(output).filter((line) => !line.startsWith("refloat: "));
      expect(commands.length, output).toBeGreaterThanOrEqual(count);
      for (const one of commands) expect(one, output).toContain(`--store '${other}'`);
      runAll(s, cwd, output);
    };
    all(refloat(`run --timeout 500ms --drain 100ms --report '${report}' -- sleep 60`), 1);
    const { undo, next } = JSON.parse(readFileSync(report, "utf8"));
    all([undo, ...next].join("\n"), 2);
    all(refloat("loop --max 1 --settle park-all -- sh -c 'echo more > more.md'"), 1);
    refloat(`loop --max 1 --notify "cat >> '${told}'" -- sh -c 'echo left > left.md'`);
    const stuck = "loop --name stuck --suspend-after 1 -- sh -c 'kill -9 $$'";
    all(refloat(stuck), 1);
    refloat(stuck);
    all(refloat("loop --name stuck -- true"), 1);
    refloat(stuck);
    all(refloat("doctor"), 1);
    const notified = readFileSync(told, "utf8").trim().split("\n");
    all(notified.map((line) => JSON.parse(line).message).join("\n"), 1);
  }, 300_000);

  it("about a state file that was named with -C: what validates, repairs and puts it back again", async () => {
    const s = await scene();
    const { elsewhere } = s;
    const refloat = (line: string) => s.sh(elsewhere, `refloat -C in ${line}`).output;
    refloat("state init");
    const file = join(elsewhere, "in/00-session-state.json");
    const damaged = readFileSync(file, "utf8").slice(0, 300);
    writeFileSync(file, damaged);
    const found = refloat("state validate 00-session-state.json");
    const [repair = ""] = commandsIn(found);
    expect(repair).toMatch(/^refloat -C in state repair \//);
    const repaired = s.sh(elsewhere, repair);
    expect(repaired.code, repaired.output).toBe(0);
    const putBack = /Put it back: (cp .*)/.exec(repaired.output)?.[1] ?? "";
    expect(s.sh(elsewhere, putBack).code, repaired.output).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(damaged);
  }, 120_000);

  it("another home is no remedy for a store that was named: the doctor names another store", () => {
    const openError = { code: "E_STORE_FOREIGN", message: "It is another user's." };
    const store = { address: "/x/a.db", isThere: true, isNamed: true, openError, fileSystem: null };
    const rest = { losses: [], damage: [], open: [], freeBytes: null, notWritable: null, sealing: null };
    const none = {
      gitProblem: null,
      installGit: "",
      installPerl: "",
      sessions: [],
      claims: [],
      stateFiles: [],
      configs: [],
    };
    const facts = {
      nodeVersion: "24.0.0",
      ...none,
      plans: [],
      leftovers: [],
      strayFiles: [],
      straySlots: [],
      hooks: {
        hasPerl: true,
        recorder: { kind: "there" as const, path: "" },
        agents: [],
        inbox: {
          ...{ waiting: 0, torn: 0, tornFolder: "", dropped: 0 },
          droppedBefore: { count: 0, path: "" },
        },
      },
    };
    const remedy = (isNamed: boolean): string | undefined =>
      diagnose({ ...facts, moved: [], store: { ...store, ...rest, isNamed } })[0]?.command;
    expect(remedy(true)).toBe('refloat --store "$HOME/.refloat-home/refloat.db" doctor');
    expect(remedy(false)).toBe('REFLOAT_HOME="$HOME/.refloat-home" refloat doctor');
  });
});

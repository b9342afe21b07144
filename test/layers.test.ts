/**
 * The house's plan as a test (DESIGN 4): imports go down the list of rooms, nothing goes round in circles, and
 * only platform/ touches the clock, chance, process identity and durable writes.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** From the top of the house to its ground. A room may import itself and what stands below it. */
const ROOMS = [
  "cli",
  "server",
  "adapters",
  "library",
  "app",
  "doctor",
  "agents",
  "gateway",
  "fleet",
  "supervise",
  "handoff",
  "recover",
  "salvage",
  "triage",
  "workflow",
  "acts",
  "workspace",
  "conversation",
  "session",
  "store",
  "text",
  "platform",
  "model",
] as const;

/**
 * A room's folders are drawers, and have an order, too: from the top down. "." is what lies in none. Rooms that are not here
 * may have folders that stand beside each other, as long as no two of them import each other.
 */
const DRAWERS: Readonly<Record<string, readonly string[]>> = {
  app: [
    "fleet",
    "worktrees",
    "status",
    "workflow",
    "run",
    "handoff",
    "salvage",
    "captures",
    "trust",
    "transfer",
    "acts",
    "upkeep",
    "sessions",
    "agents",
    "place",
    "store",
    "recovery",
    "inbox",
    "telling",
  ],
  acts: ["compilers", "primitive", "primitive/tree", "git", "plans"],
  workspace: [
    "unsettled",
    "compare",
    "trust",
    "captures",
    "owning",
    "tree",
    "sessions",
    "opening",
    "git",
    "files",
  ],
  salvage: ["worktrees", "manifest", "check", "settle", "judging", "changes", "story", "analysis"],
  triage: [
    "verdict",
    "rules",
    "rules/evidence",
    "links",
    "links/references",
    "facts",
    "facts/parse",
    "facts/text",
    "facts/known",
    "facts/paths",
    "facts/manifests",
  ],
  store: ["damage", "damage/pages", ".", "bucket", "sqlite", "postgres", "contract"],
};

/** Rooms below app/: a face gets at what they can do through it. Words, numbers and nouns (text, platform, model) are anybody's. */
const BELOW_APP = ROOMS.slice(ROOMS.indexOf("doctor"), ROOMS.indexOf("text"));

const SRC = resolve(import.meta.dirname, "../src");

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name): Source => {
    const text = readFileSync(join(SRC, name), "utf8");
    const found = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"([^"]+)"/gm)].map(
      ([, to]) => to ?? "",
    );
    return {
      path: name,
      room: name.includes("/") ? (name.split("/")[0] ?? "") : "index",
      text: withoutComments(text),
      imports: found,
    };
  });

describe("the rooms", () => {
  it("are all on the list, and every import goes down it", () => {
    const wrong = sources.flatMap((source) => source.imports.flatMap((to) => upward(source, to)));
    expect(sources.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  it("have drawers, and every import goes down their order", () => {
    const wrong = sources.flatMap((source) => source.imports.flatMap((to) => upwardInRoom(source, to)));
    expect(wrong).toEqual([]);
    const known = Object.entries(DRAWERS).flatMap(([room, drawers]) =>
      drawers.map((one) => `${room} ${one}`),
    );
    const there = new Set(sources.map(({ path, room }) => `${room} ${drawerOf(path)}`));
    expect(known.filter((one) => !there.has(one))).toEqual([]);
    const isListed = ({ path, room }: Source): boolean => DRAWERS[room]?.includes(drawerOf(path)) ?? true;
    expect(sources.filter((one) => !isListed(one)).map(({ path }) => path)).toEqual([]);
  });

  it("below app/ are asked by no face itself, but for types: it is wired once, under all of them (S7)", () => {
    const faces = sources.filter(
      ({ room }) => room === "cli" || room === "server" || room === "library" || room === "adapters",
    );
    const asking = faces.filter((source) => calledBy(source).some((to) => isBelowApp(to)));
    expect(asking.map(({ path }) => path).toSorted()).toEqual([]);
  });

  it("have no folder cycles", () => {
    const folders = new Map<string, Set<string>>();
    for (const source of sources)
      for (const to of localImports(source)) {
        const [from, into] = [dirname(source.path), dirname(to)];
        if (from === into || source.room === "index") continue;
        folders.set(from, (folders.get(from) ?? new Set()).add(into));
      }
    expect(findCycle(new Map([...folders].map(([from, into]) => [from, [...into]])))).toBeNull();
  });

  it("have no import cycles", () => {
    expect(findCycle(new Map(sources.map((source) => [source.path, localImports(source)])))).toBeNull();
  });

  it("would be caught going up or in a circle: the check can fail", () => {
    const fake = { path: "store/x.ts", room: "store", text: "", imports: ["../cli/y.ts"] };
    expect(upward(fake, "../cli/y.ts")).toHaveLength(1);
    const inside = { path: "acts/plans/x.ts", room: "acts", text: "", imports: ["../compilers/y.ts"] };
    expect(upwardInRoom(inside, "../compilers/y.ts")).toHaveLength(1);
    expect(
      findCycle(
        new Map([
          ["a", ["b"]],
          ["b", ["a"]],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
  });

  it("leave clock, chance, process identity and durable writes to platform/", () => {
    const rules: readonly [what: string, pattern: RegExp][] = [
      ["the clock", /\bDate\.now\(|\bperformance\.now\(|\bnew Date\(\)|process\.hrtime/],
      ["chance", /\bMath\.random\(|\brandomBytes\b|\brandomUUID\b|\bgetRandomValues\b|\brandomInt\b/],
      ["process identity", /\bprocess\.(?:pid|ppid)\b|\/proc\/self\/(?:stat|ns)\b|boot_id|machine-id/],
      [
        "durable writes",
        /\b(?:write(?:File)?|append(?:File)?|rename|unlink|rm|rmdir|mkdir|mkdtemp|link|symlink|truncate|ftruncate|fsync|fdatasync|chmod|copyFile|cp|createWriteStream)Sync\(|\bfs\.promises\b|"node:fs\/promises"|\bcreateWriteStream\(/,
      ],
    ];
    const outside = sources.filter(({ room }) => room !== "platform");
    const wrong = outside.flatMap(({ path, text }) =>
      rules.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${path}: ${what}`),
    );
    expect(wrong).toEqual([]);
  });

  it("ask where the code lies in one place: a bundle moves every other module", () => {
    const asking = sources.filter(({ text }) => /\bimport\.meta\b|\b__(?:dir|file)name\b(?!")/.test(text));
    // bin.ts is a file of its own wherever it lies, and must not load another one to say its version.
    expect(asking.map(({ path }) => path)).toEqual(["cli/bin.ts", "platform/own-files.ts"]);
  });

  it("keep index.ts and core.ts to re-exports, and the one to all of the other's", () => {
    const [core, index] = ["core.ts", "index.ts"].map(
      (name) => sources.find(({ path }) => path === name)?.text,
    );
    const other = `${core}\n${index}`
      .split("\n")
      .filter((line) => line.trim() !== "" && !/^export (?:type )?\{|^ {2}[\w, ]+|^\} from /.test(line));
    expect(other).toEqual(['export * from "./core.ts";']);
  });

  it("have no file over 400 lines, and no drawer called utils, helpers, common or manager", () => {
    const tall = sources
      .filter(({ path }) => readFileSync(join(SRC, path), "utf8").split("\n").length > 401)
      .map(({ path }) => path);
    expect(tall).toEqual([]);
    expect(sources.filter(({ path }) => /utils|helpers?\b|common|manager/i.test(path))).toEqual([]);
  });

  it("have tests that draw their chance from the one seed, so that a run can be repeated", () => {
    const root = resolve(SRC, "..");
    const tests = ["src", "test"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${folder}/${name}`),
    );
    const direct = tests.filter((path) =>
      /from "fast-check";$/m.test(readFileSync(join(root, path), "utf8")),
    );
    expect(direct).toEqual(["test/support/fast-check.ts"]);
  });

  it("exist on disk only under names of the list", () => {
    const folders = readdirSync(SRC).filter((name) => statSync(join(SRC, name)).isDirectory());
    expect(folders.filter((name) => !ROOMS.includes(name as (typeof ROOMS)[number]))).toEqual([]);
  });
});

function upward(source: Source, to: string): string[] {
  if (!to.startsWith(".")) return [];
  const target = relative(SRC, resolve(SRC, dirname(source.path), to));
  const room = target.split("/")[0] ?? "";
  if (source.room === "index") return [];
  const [from, into] = [ROOMS.indexOf(source.room as never), ROOMS.indexOf(room as never)];
  const isDown = from >= 0 && into >= from;
  return isDown ? [] : [`${source.path} imports ${target}`];
}

const isBelowApp = (path: string): boolean => BELOW_APP.includes(path.split("/")[0] as never);

/** What is imported to be called, not for its types. */
function calledBy(source: Source): string[] {
  const imports = /^import (?:\{([^}]*)\}|(?!type\b)[^"{]*) from "(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;
  return [...source.text.matchAll(imports)]
    .filter(([, names]) => names === undefined || names.split(",").some((one) => /^\s*(?!type )\w/.test(one)))
    .map(([, , to, later]) => relative(SRC, resolve(SRC, dirname(source.path), to ?? later ?? "")));
}

function drawerOf(path: string): string {
  const parts = path.split("/").slice(1, -1);
  return parts.length === 0 ? "." : parts.join("/");
}

function upwardInRoom(source: Source, to: string): string[] {
  const drawers = DRAWERS[source.room];
  if (!drawers || !to.startsWith(".")) return [];
  const target = relative(SRC, resolve(SRC, dirname(source.path), to));
  if (target.split("/")[0] !== source.room) return [];
  const isDown = drawers.indexOf(drawerOf(target)) >= drawers.indexOf(drawerOf(source.path));
  return isDown ? [] : [`${source.path} imports ${target}`];
}

function localImports(source: Source): string[] {
  return source.imports
    .filter((to) => to.startsWith("."))
    .map((to) => relative(SRC, resolve(SRC, dirname(source.path), to)));
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return null;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/**
 * Kills in the middle of a transfer, at every named point and at random moments, of the sender, of the receiver, of both: never live on both sides,
 * never on none once somebody asks again, and not a byte is lost (K1, W8, D1). A sample in each run; REFLOAT_SWEEP=full has a hundred kills.
 * One session goes back and forth between two machines, so that every kill finds a longer story than the one before.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SEND_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { ended } from "../support/cli.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import {
  leftOn,
  type Machine,
  network,
  type SessionThere,
  STATUS,
  sessionAt,
  statusOf,
  WORK,
} from "./sending.ts";

const KILLS = isFull ? 100 : 5;
/** Longer than a whole transfer of this size takes on a loaded machine, so that some are killed after it. */
const LATEST_MS = 1500;

const AT_SENDER = ["send.after-capture", "send.after-offer", "send.after-fence", "send.before-confirmed"];
const AT_RECEIVER = Object.keys(SEND_CRASH_POINTS).filter((point) => point.startsWith("receive."));
const BELOW = ["import.between-changes", "content.before-row", "append.before-commit", "append.after-commit"];
const FILES = ["create.before-link", "create.after-link"];

interface Kill {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Killed from outside: who, and when. */
  readonly after?: { readonly ms: number; readonly whom: "sender" | "both" };
  readonly isFile: boolean;
}

/** The named points in turn, between them moments by chance. */
function killsOf(count: number, below: (n: number) => number): Kill[] {
  const named: Kill[] = [
    ...[...AT_SENDER, ...FILES].map((at) => ({ name: at, env: { REFLOAT_CRASH_AT: at }, isFile: false })),
    ...[...AT_RECEIVER, ...BELOW, ...FILES].map((at) => ({
      name: `there: ${at}`,
      env: { KILL_THERE: at },
      isFile: false,
    })),
    ...[...AT_SENDER, ...FILES].map((at) => ({
      name: `file: ${at}`,
      env: { REFLOAT_CRASH_AT: at },
      isFile: true,
    })),
  ];
  // A sample has first what is hardest: nobody is live, sealed and not yet taken in, a file without its end.
  const hardest = ["send.after-fence", "there: receive.after-decided", "file: send.after-fence"];
  const rank = ({ name }: Kill): number => Math.max(0, hardest.indexOf(name));
  named.sort(
    (a, b) => Number(hardest.includes(b.name)) - Number(hardest.includes(a.name)) || rank(a) - rank(b),
  );
  return Array.from({ length: count }, (_, at): Kill => {
    if (at % 2 === 0) return named[(at / 2) % named.length] as Kill;
    const whom = below(2) === 0 ? "sender" : "both";
    return {
      name: `${whom} at random`,
      env: {},
      after: { ms: below(LATEST_MS), whom },
      isFile: below(4) === 0,
    };
  });
}

async function carryOut(sender: Machine, words: readonly string[], kill: Kill): Promise<boolean> {
  const child = sender.start(words, { env: kill.env });
  child.stdin?.end();
  const { after } = kill;
  const timer =
    after &&
    setTimeout(() => {
      const pid = child.pid ?? 0;
      // Its own group: nobody else is in it.
      if (after.whom === "both") process.kill(-pid, "SIGKILL");
      else child.kill("SIGKILL");
    }, after.ms);
  const { code } = await ended(child);
  clearTimeout(timer);
  return code === 0;
}

/** Gone on with it says where it stands, and changes nothing. */
const AGENT = `if [ -e new.txt ]; then git rev-parse HEAD; exit 0; fi; ${WORK}`;

/** Every file below it but git's own, by the hash of its bytes. */
function bytesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => !/\/\.git(\/|$)/.test(path));
  const hashed = paths.map((path) => {
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    return [path.slice(folder.length + 1), hash] as const;
  });
  return Object.fromEntries(hashed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

it(`${KILLS} kills in the middle of a transfer leave a session live on one side, whole, and the same command or --take-back ends what was open (K1, W8)`, async () => {
  const below = randomFrom(seed);
  const net = network();
  const machines = [net.machine("here"), net.machine("there")] as const;
  const { session, origin, work, head } = await leftOn(machines[0], AGENT);
  const asLeft = bytesIn(work);
  let at = 0;
  let known = (await sessionAt(machines[0], session)) as SessionThere;
  const found = new Map<string, number>();
  for (const [number, kill] of killsOf(KILLS, below).entries()) {
    const [sender, receiver] = at === 0 ? machines : [machines[1], machines[0]];
    const about = `seed ${seed}, kill ${number}: ${kill.name}`;
    const file = join(sender.home, `sent-${number}`);
    const words = ["send", session, kill.isFile ? file : `ssh://${receiver.name}`];
    const isDone = await carryOut(sender, words, kill);
    // The receiver first: it is live only after the sender is not.
    const there = kill.isFile ? null : await sessionAt(receiver, session);
    const here = (await sessionAt(sender, session)) as SessionThere;
    const isThere = kill.isFile ? existsSync(file) && !here.isLive : there?.isLive === true;
    expect(here.isLive && isThere, `${about}: both live`).toBe(false);
    const state = here.isLive ? "live where it was" : isThere ? "arrived" : "under way";
    found.set(`${kill.name}: ${state}`, (found.get(`${kill.name}: ${state}`) ?? 0) + 1);
    if (isDone) expect(isThere, about).toBe(true);
    const isBack = !here.isLive && below(3) === 0;
    const ran = await sender.json(isBack ? ["send", session, "--take-back"] : words);
    if (!isBack && !(here.isLive && isThere))
      expect(ran.json, `${about}: ${JSON.stringify(ran.json)}`).toMatchObject({ done: true });
    if (isBack && isThere && !kill.isFile) expect(ran.json.code, about).toBe("E_SEND_ARRIVED");
    // Killed after it was decided that the file gets its name, before it had it.
    if (isBack && ran.json.code === "E_SEND_FILE_AWAY")
      expect((await sender.json(words)).json, about).toMatchObject({ done: true });
    if (existsSync(file)) {
      const taken = await receiver.json(["store", "import", file, "--own"]);
      expect(taken.json, `${about}: ${JSON.stringify(taken.json)}`).toMatchObject({ received: "taken" });
      rmSync(file);
    }
    const sides = [await sessionAt(machines[0], session), await sessionAt(machines[1], session)];
    expect(sides.filter((side) => side?.isLive).length, `${about}: one side is live`).toBe(1);
    at = sides.findIndex((side) => side?.isLive);
    const now = sides[at] as SessionThere;
    expect(now.records.slice(0, known.records.length), `${about}: every record`).toEqual(known.records);
    known = now;
    const checked = await (machines[at] as Machine).json(["store", "check"]);
    expect(checked.json, about).toMatchObject({ ok: true, damage: [] });
  }
  // Where it never was worked on, in a clone that has none of its commits.
  if (at === 0) {
    const last = await machines[0].json(["send", session, "ssh://there"]);
    expect(last.json, JSON.stringify(last.json)).toMatchObject({ done: true });
  }
  const [, there] = machines;
  const clone = join(there.home, "clone");
  there.git(there.home, "clone", "-q", origin, clone);
  const restored = join(there.home, "restored");
  const files = await there.refloat(["restore", session, "--to", restored, "--yes"], { cwd: clone });
  expect(bytesIn(restored), `every byte of what it left: ${files.stderr}`).toEqual(asLeft);
  const tree = join(there.home, "tree");
  const gone = await there.refloat(["resume", session, "--recreate", "--to", tree, "--yes"], { cwd: clone });
  expect([gone.code, gone.stdout.trim()], `its commits, of the bundle: ${gone.stderr}`).toEqual([0, head]);
  expect([there.git(tree, "rev-parse", "HEAD"), statusOf(there, tree)]).toEqual([head, STATUS]);
  expect(bytesIn(tree), "and its tree, to the byte").toEqual(asLeft);
  console.log(
    `seed ${seed}: ${KILLS} kills, ${known.records.length} records in the end\n${[...found]
      .sort()
      .map(([what, n]) => `  ${n} ${what}`)
      .join("\n")}`,
  );
}, 1_800_000);

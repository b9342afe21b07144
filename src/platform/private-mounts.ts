/**
 * Mounts that one program and its children see and nobody else: made in a mount namespace of their own, gone with its last
 * process, however that ends. Nothing is ever mounted where this process, or a sweep after its death, would look.
 *
 *  M1  The program cannot make a read-only mount writable, take it away, or reach around it into the namespace it came
 *      from: it runs without the right to mount (as root: stripped of it for good; else: in a user namespace below the one
 *      that owns the mounts, whose flags the kernel then holds fast).
 *  M2  Whether that holds here is tried out, never assumed: kernels, containers and distributions forbid parts of it.
 *
 * It keeps a program from altering what is mounted by mistake or by mischief; it is no jail for a hostile root.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./places.ts";
import { type ProgramOutcome, runProgram } from "./run-program.ts";
import { makeScratchTree, removeScratchTree } from "./scratch-tree.ts";

export type MountWay = "stripped" | "below";

export interface MountStep {
  /** `tree`: with all that is mounted in it. */
  readonly how: "read-only" | "writable" | "tree";
  readonly from: string;
  readonly at: string;
}

export interface MountedProgram {
  readonly steps: readonly MountStep[];
  readonly cwd: string;
  readonly command: readonly string[];
}

/** 126, as of a program that cannot be run: a failed mount is nobody's verdict. The path is an argument, never part of the text. */
const SCRIPT = `
fail() { echo "refloat: cannot mount at $1" >&2; exit 126; }
while [ "$1" != run ]; do
  case $1 in
    read-only) mount --bind "$2" "$3" && mount -o remount,bind,ro "$3" || fail "$3" ;;
    writable) mount --bind "$2" "$3" || fail "$3" ;;
    tree) mount --rbind "$2" "$3" || fail "$3" ;;
  esac
  shift 3
done
cd "$2" || fail "$2"
shift 2
exec "$@"`;

/** With one of these a root could mount, or look into the namespaces, memory and devices of others. */
const STRIPPED = "-sys_admin,-sys_ptrace,-sys_module,-sys_rawio,-sys_boot,-mknod";

/** The program and arguments that run a command with its mounts. No fork on the way: what is started is the command itself. */
export function mountedProgram(
  way: MountWay,
  { steps, cwd, command }: MountedProgram,
): [string, readonly string[]] {
  const script = ["sh", "-c", SCRIPT, "sh", ...steps.flatMap(({ how, from, at }) => [how, from, at])];
  const inside = [...script, "run", cwd, ...dropping(way), "--", ...command];
  return ["unshare", [...entering(way), "--mount", "--propagation", "private", "--", ...inside]];
}

function entering(way: MountWay): string[] {
  switch (way) {
    case "stripped":
      return [];
    case "below":
      return ["--user", "--map-root-user"];
    default:
      return way satisfies never;
  }
}

function dropping(way: MountWay): string[] {
  switch (way) {
    case "stripped":
      return ["setpriv", `--bounding-set=${STRIPPED}`, `--inh-caps=${STRIPPED}`];
    case "below":
      return [
        "unshare",
        "--user",
        `--map-user=${process.geteuid?.() ?? 0}`,
        `--map-group=${process.getegid?.() ?? 0}`,
      ];
    default:
      return way satisfies never;
  }
}

export type MountAnswer =
  | { readonly kind: "held"; readonly way: MountWay }
  | { readonly kind: "none"; readonly why: string };

const TRIAL_TIMEOUT_MS = 60_000;
const TRIAL_OUTPUT_BYTES = 64 * 1024;
/** Every way out that a program would try; one that succeeds means that M1 does not hold here. */
const TRIAL = `
{ echo new > to/new || mv to/old to/moved || mount -o remount,bind,rw to || mount -o remount,rw to || umount to ||
  umount -l to || touch "/proc/$1/root$2/from/new"; } 2>/dev/null && { echo "a program can undo a mount here" >&2; exit 1; }
test -d to/old && echo held`;

/** M2: the ways in turn, each with a folder nobody needs. */
export async function tryMounts(home: string, env: Environment): Promise<MountAnswer> {
  if (process.platform !== "linux") return { kind: "none", why: "only Linux can mount for one program" };
  const ways: readonly MountWay[] = process.geteuid?.() === 0 ? ["stripped", "below"] : ["below"];
  let why = "";
  for (const way of ways) {
    const refused = await tryWay(way, home, env);
    if (refused === null) return { kind: "held", way };
    why = refused;
  }
  return { kind: "none", why };
}

async function tryWay(way: MountWay, home: string, env: Environment): Promise<string | null> {
  const root = makeScratchTree(home);
  try {
    mkdirSync(join(root, "to"));
    mkdirSync(join(root, "from/old"), { recursive: true });
    const [program, args] = mountedProgram(way, {
      steps: [{ how: "read-only", from: join(root, "from"), at: join(root, "to") }],
      cwd: root,
      command: ["sh", "-c", TRIAL, "sh", String(process.pid), root],
    });
    const clean = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
    return whyNot(
      await runProgram(program, args, {
        cwd: root,
        env: clean as Record<string, string>,
        maxOutputBytes: TRIAL_OUTPUT_BYTES,
        timeoutMs: TRIAL_TIMEOUT_MS,
      }),
    );
  } finally {
    removeScratchTree(root);
  }
}

function whyNot(outcome: ProgramOutcome): string | null {
  switch (outcome.kind) {
    case "ended": {
      if (outcome.code === 0 && outcome.stdout.toString("utf8") === "held\n") return null;
      const line = outcome.stderr.split("\n").find((one) => one.trim() !== "");
      return line?.trim() ?? `exit code ${outcome.code}`;
    }
    case "not-started":
      return "unshare cannot be run";
    case "signalled":
      return `it was ended by ${outcome.signal}`;
    case "too-long":
    case "too-slow":
      return "the trial did not end";
    default:
      return outcome satisfies never;
  }
}

/**
 * The doctor's checks as a table: what each finds, how bad, and the command that helps. docs/doctor.md and its tree
 * are drawn from it. What is not built yet has no row. `fix` says what `doctor --fix` does; it never discards.
 */

import { canBeLifted } from "../session/describe.ts";
import { count } from "../text/counting.ts";
import { shellWord } from "../text/escape.ts";
import { CONFIG_CHECKS } from "./config-checks.ts";
import type { Complaint, DoctorCheck, DoctorClaim, DoctorFacts, DoctorSeverity } from "./facts.ts";
import { HOOK_CHECKS } from "./hook-checks.ts";
import { SEAL_CHECKS } from "./seal-checks.ts";
import { WORKSPACE_CHECKS } from "./workspace-checks.ts";

const LEAST_NODE = [20, 20] as const;
const NODE_BELOW = 27;
/** A capture, a salvage or a backup needs room; with less than this the next one may fail. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024;

const isAtLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
};

const openError = (facts: DoctorFacts, codes: (code: string) => boolean): Complaint[] => {
  const { openError: error } = facts.store;
  return error && codes(error.code) ? [{ message: error.message }] : [];
};

const DAMAGED: ReadonlySet<string> = new Set([
  "E_STORE_DAMAGED",
  "E_STORE_TRUNCATED",
  "E_STORE_MISSING",
  "E_STORE_NOT_OURS",
]);
const nameOf = ({ name, session }: DoctorClaim): string => name ?? session;
/** By its id: a name may be another's, too, and then means the newest. */
const breakIt = ({ session }: DoctorClaim): string =>
  `refloat claim break ${shellWord(session)} --reason WHY`;

/** Each folder once, with how many sessions wait there for a look. */
function unreadFolders(sessions: DoctorFacts["sessions"]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { unreadIn } of sessions)
    if (typeof unreadIn === "string") counts.set(unreadIn, (counts.get(unreadIn) ?? 0) + 1);
  return counts;
}

/** Where somebody could look instead. A store that he named is not looked for in any home (T6). */
const inAnotherHome = ({ isNamed }: DoctorFacts["store"], home = "$HOME/.refloat-home"): string =>
  isNamed ? `refloat --store "${home}/refloat.db" doctor` : `REFLOAT_HOME="${home}" refloat doctor`;

/** Why a store does not open says what helps; the rest is to be tried again. */
function remedyFor(store: DoctorFacts["store"]): { readonly command?: string } {
  const { openError: error, address } = store;
  switch (error?.code) {
    case "E_STORE_UNREACHABLE":
      return { command: `pg_isready --dbname=${shellWord(address)}` };
    case "E_STORE_READ_ONLY":
      return { command: `chmod u+rw ${shellWord(address)}` };
    case "E_STORE_FOREIGN":
    case "E_STORE_IN_WORKSPACE":
      return { command: inAnotherHome(store) };
    case "E_STORE_NOT_A_FILE":
      return { command: `mv ${shellWord(address)} ${shellWord(`${address}.aside`)}` };
    default:
      return {};
  }
}

/** More than these of one file are told by the validator, not by the doctor. */
const MAX_PER_FILE = 20;

/** `state-version` says it. */
const VERSION_RULE = "old-version";
const CLAIM_RULES: ReadonlySet<string> = new Set(["stale-claim", "lock-mismatch", "claim-store"]);

export const CHECKS = [
  {
    id: "node-version",
    severity: "error",
    about: "Node is older than 20.20, or newer than what was tried.",
    question: "Is Node 20.20 to 26?",
    command: "nvm install 24",
    find: ({ nodeVersion }) =>
      isAtLeast(nodeVersion, LEAST_NODE) && Number.parseInt(nodeVersion, 10) < NODE_BELOW
        ? []
        : [{ message: `Node is ${nodeVersion}; refloat runs on 20.20 to 26.` }],
  },
  {
    id: "git-version",
    severity: "error",
    about: "git is missing or older than 2.36.",
    question: "Is git 2.36 or newer?",
    command: "sudo apt-get install --yes git",
    find: ({ gitProblem, installGit }) =>
      gitProblem === null ? [] : [{ message: gitProblem, command: installGit }],
  },
  {
    id: "store-file-system",
    severity: "error",
    about: "The store is on a file system where SQLite's log is unsafe.",
    question: "Is the store on a local file system?",
    command: "REFLOAT_HOME=/var/tmp/refloat-home refloat doctor",
    find: ({ store }) =>
      store.fileSystem && !store.fileSystem.isSafeForWal
        ? [
            {
              message: `${store.address} is on ${store.fileSystem.name}. Put ${store.isNamed ? "it" : "REFLOAT_HOME"} on a local disk.`,
              ...(store.isNamed ? { command: inAnotherHome(store, "/var/tmp/refloat-home") } : {}),
            },
          ]
        : [],
  },
  {
    id: "store-version",
    severity: "error",
    about: "The store was written by a newer refloat.",
    question: "Is the store of this refloat or an older one?",
    command: "npm install --global refloat@latest",
    find: (facts) => openError(facts, (code) => code === "E_STORE_NEWER"),
  },
  {
    id: "store-damage",
    severity: "error",
    about: "The store is damaged, cut off, gone or not ours; or its engine finds faults in its files.",
    question: "Are the store's files whole?",
    command: "refloat store check --salvage",
    find: (facts) => [
      ...openError(facts, (code) => DAMAGED.has(code)),
      ...facts.store.damage.map((message) => ({ message, command: "refloat store check" })),
    ],
  },
  {
    id: "store-tail",
    severity: "error",
    about: "The store's log was cut off by something else.",
    question: "Is the store's log as long as it was?",
    command: "refloat store check --accept-loss",
    find: (facts) => openError(facts, (code) => code === "E_STORE_TAIL_LOST"),
  },
  {
    id: "store-losses",
    severity: "warning",
    about: "Sessions are known to have lost the end of their journals, and you have not accepted it.",
    question: "Did every session keep its end, or is its loss accepted?",
    command: "refloat store check --accept-loss",
    find: ({ store }) =>
      store.losses.map(({ session, from, to }) => ({
        message: `Session ${session} lost its records #${from} to #${to}.`,
      })),
  },
  {
    id: "store-open",
    severity: "error",
    about: "The store cannot be opened for another reason: busy, read-only, foreign, out of reach.",
    question: "Can the store be opened?",
    command: "refloat doctor",
    find: (facts) =>
      openError(
        facts,
        (code) =>
          !DAMAGED.has(code) && !["E_STORE_NEWER", "E_STORE_TAIL_LOST", "E_STORE_FS_UNSAFE"].includes(code),
      ).map(({ message }) => ({ message, ...remedyFor(facts.store) })),
  },
  {
    id: "store-read-only",
    severity: "error",
    about:
      "Nothing can be written where the store is, or where it would be made: no session can be recorded.",
    question: "Can the store's folder be written?",
    command: "chmod u+rwx FOLDER",
    find: ({ store, store: { notWritable } }) =>
      notWritable === null
        ? []
        : [
            {
              message: `${notWritable.folder} cannot be written${notWritable.isDisk ? ": its file system is read-only" : ""}; nothing can be recorded there.`,
              command: notWritable.isDisk
                ? inAnotherHome(store)
                : `chmod u+rwx ${shellWord(notWritable.folder)}`,
            },
          ],
  },
  {
    id: "store-permissions",
    severity: "warning",
    about: "Others may read the store's folder or files, or the file of its keys.",
    question: "Is the store private?",
    command: "refloat doctor --fix",
    fix: "private",
    find: ({ store }) =>
      store.open.map(({ path, mode }) => ({
        message: `${path} has mode ${mode.toString(8)}: others may look into it.`,
      })),
  },
  ...SEAL_CHECKS,
  {
    id: "disk-space",
    severity: "warning",
    about: "The store's disk has less than 512 MiB left.",
    question: "Is there room on the store's disk?",
    command: "refloat store gc",
    find: ({ store }) =>
      store.freeBytes !== null && store.freeBytes < LEAST_FREE_BYTES
        ? [{ message: `${Math.floor(store.freeBytes / 1024 / 1024)} MiB are left where the store is.` }]
        : [],
  },
  {
    id: "session-interrupted",
    severity: "warning",
    about: "A session was cut off; what it left open is not settled.",
    question: "Did every session end by saying so?",
    command: "refloat doctor --fix",
    fix: "recover",
    find: ({ sessions }) =>
      sessions
        .filter(({ state, isOpen, unreadIn }) => state === "interrupted" && isOpen && unreadIn === undefined)
        .map(({ id, name }) => ({ message: `Session ${name ?? id} was cut off.` })),
  },
  {
    id: "session-unread",
    severity: "info",
    about:
      "An agent that was started plainly is gone, and nobody has looked in its folder since: how it ended is not read yet.",
    question: "Is what every agent left read to its end?",
    command: "refloat -C FOLDER",
    find: ({ sessions }) =>
      [...unreadFolders(sessions)].map(([folder, unread]) => ({
        message: `How ${count(unread, "session")} in ${folder} ended is read at the next look there.`,
        command: `refloat -C ${shellWord(folder)}`,
      })),
  },
  {
    id: "session-suspended",
    severity: "warning",
    about: "A session is suspended.",
    question: "Is no session suspended?",
    command: "refloat lift ID",
    find: ({ sessions }) =>
      sessions.filter(canBeLifted).map(({ id, name }) => ({
        message: `Session ${name ?? id} is suspended.`,
        command: `refloat lift ${shellWord(id)}`,
      })),
  },
  {
    id: "session-unsupervised",
    severity: "warning",
    about: "An agent lives on without its supervisor: nothing it does is recorded, and no timeout ends it.",
    question: "Has every agent its supervisor?",
    command: "refloat stop ID",
    find: ({ claims }) =>
      claims
        .filter(({ isHeld, isAgentAlone, liveness }) => isHeld && isAgentAlone && liveness === "alive")
        .map((claim) => ({
          message: `The supervisor of session ${nameOf(claim)} is gone, and its agent still works.`,
          command: `refloat stop ${shellWord(claim.session)}`,
        })),
  },
  {
    id: "claim-stale",
    severity: "warning",
    about: "A claim has an owner that is gone; the next one takes it by itself.",
    question: "Is every claim held by somebody alive?",
    command: "refloat claim break ID --reason WHY",
    find: ({ claims }) =>
      claims
        .filter(({ isHeld }) => !isHeld)
        .map((claim) => ({
          message: `The claim on ${nameOf(claim)} is ${claim.owner}'s, who is gone.`,
          command: breakIt(claim),
        })),
  },
  {
    id: "claim-unreachable",
    severity: "warning",
    about: "A claim is held from where this process cannot look: another container.",
    question: "Can every owner be reached?",
    command: "refloat claim break ID --reason WHY",
    find: ({ claims }) =>
      claims
        .filter(({ isHeld, liveness }) => isHeld && liveness === "unreachable")
        .map((claim) => ({
          message: `${claim.owner} holds ${nameOf(claim)} and cannot be reached: nobody here knows whether it lives.`,
          command: breakIt(claim),
        })),
  },
  {
    id: "state-damaged",
    severity: "error",
    about: "A state file has errors: it is cut off, or its schema is broken.",
    question: "Is the state file whole JSON that fits its schema?",
    command: "refloat state repair FILE",
    fix: "repair",
    find: ({ stateFiles }) =>
      stateFiles.flatMap(({ path, findings }) => {
        const first = findings.find(({ severity }) => severity === "error");
        if (!first) return [];
        // What is no file that can be read is not repaired by us.
        const command =
          first.rule === "unreadable" ? first.command : `refloat state repair ${shellWord(path)}`;
        return [{ message: `${path}: ${first.message}`, command }];
      }),
  },
  {
    id: "state-unfinished",
    severity: "warning",
    about: "A command died while it changed a state file; the next one finishes it.",
    question: "Did every change of the state file reach both files?",
    command: "refloat state repair FILE",
    fix: "finish",
    find: ({ stateFiles }) =>
      stateFiles
        .filter(({ isUnfinished }) => isUnfinished)
        .map(({ path }) => ({
          message: `${path}: a change is in the journal and not in the files.`,
          command: `refloat state repair ${shellWord(path)}`,
        })),
  },
  {
    id: "state-version",
    severity: "warning",
    about: "A state file is of version 1.0, which has no claims.",
    question: "Is the state file 2.0 or 3.0?",
    command: "refloat state upgrade FILE",
    fix: "upgrade",
    find: ({ stateFiles }) =>
      stateFiles
        .filter(({ version }) => version === "1.0")
        .map(({ path }) => ({
          message: `${path} is of version 1.0.`,
          command: `refloat state upgrade ${shellWord(path)}`,
        })),
  },
  {
    id: "state-lock",
    severity: "warning",
    about:
      "A state file's lock or claim is of somebody who is gone, or disagrees with the others or with the store.",
    question: "Is its lock free, or of somebody at work?",
    command: "refloat state repair FILE",
    fix: "tidy",
    find: ({ stateFiles }) =>
      stateFiles.flatMap(({ path, findings }) =>
        findings
          .filter(({ rule }) => CLAIM_RULES.has(rule))
          .map(({ message, command }) => ({ message: `${path}: ${message}`, command })),
      ),
  },
  {
    id: "state-progress",
    severity: "warning",
    about: "A state file's steps, times, artifacts or handoff do not fit together.",
    question: "Do its steps, times, artifacts and handoff fit together?",
    command: "refloat state validate FILE",
    find: ({ stateFiles }) =>
      stateFiles.flatMap(({ path, findings }) => {
        const some = findings.filter(
          ({ severity, rule }) => severity === "warning" && !CLAIM_RULES.has(rule) && rule !== VERSION_RULE,
        );
        const told = some
          .slice(0, MAX_PER_FILE)
          .map(({ message, command }) => ({ message: `${path}: ${message}`, command }));
        const left = some.length - told.length;
        const command = `refloat state validate ${shellWord(path)}`;
        return left === 0 ? told : [...told, { message: `${path}: and ${left} more.`, command }];
      }),
  },
  ...CONFIG_CHECKS,
  ...WORKSPACE_CHECKS,
  ...HOOK_CHECKS,
] as const satisfies readonly DoctorCheck[];

export type CheckId = (typeof CHECKS)[number]["id"];

export interface DoctorFinding {
  readonly check: CheckId;
  readonly severity: DoctorSeverity;
  readonly message: string;
  readonly command: string;
}

export function diagnose(facts: DoctorFacts): readonly DoctorFinding[] {
  return CHECKS.flatMap((check: DoctorCheck) =>
    check.find(facts).map(({ message, command }) => ({
      check: check.id as CheckId,
      severity: check.severity,
      message,
      command: command ?? check.command,
    })),
  );
}

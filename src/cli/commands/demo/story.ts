/**
 * The second half of the demo: a scripted agent works in a throw-away repository under `refloat run`, is killed with
 * SIGKILL midway with a tool still running, and the commands a person would type next are run, as he would run them. What
 * each of them must come to is looked at (T1).
 */
import { join } from "node:path";
import { makePrivateDirectory, writeDurable } from "../../../platform/durable-file.ts";
import { findProgram } from "../../../platform/places.ts";
import { type ProgramOutcome, runProgram } from "../../../platform/run-program.ts";

export interface StoryStep {
  /** As it is typed after `refloat`. */
  readonly command: readonly string[];
  readonly about: string;
  /** Null: it was not started, or died. */
  readonly code: number | null;
  readonly isKept: boolean;
  readonly output: string;
}

interface ScriptedCommand {
  readonly args: readonly string[];
  readonly about: string;
  readonly code: number;
  /** Text its output must have. */
  readonly says: string;
}

/** A journal line that is whole, a manifest cut off inside an operation, and a tool that outlives the agent; told of it, it finishes. */
const AGENT = `if [ -s "$REFLOAT_HANDOFF_FILE" ]; then
  echo "read the brief: the journal is done, the version is not"
  printf '{ "name": "demo", "version": "1.0.1" }\\n' > package.json
  echo "# END: bump the version"
  exit 0
fi
echo "- wrote the release notes" >> journal/today.md
echo "# BEGIN: bump the version"
printf '{ "name": "demo", "version": ' > package.json
setsid sleep 1000 > /dev/null 2>&1 &
echo "bumping the version"
kill -9 $$
`;

const STEPS: readonly ScriptedCommand[] = [
  {
    args: ["run", "--name", "demo", "--", "sh", "agent.sh"],
    about: "An agent works, and is killed with SIGKILL midway, a tool of it still running.",
    code: 137,
    says: "stopping what it left running",
  },
  { args: ["status"], about: "What was going on here?", code: 0, says: "refloat inspect" },
  { args: ["inspect"], about: "What did it leave, whose is it, and is it whole?", code: 0, says: "RISKY" },
  {
    args: ["settle", "--yes"],
    about: "Commit what is safe, park what was half done: one plan.",
    code: 0,
    says: "undo",
  },
  { args: ["undo", "--yes"], about: "And back again, all of it.", code: 0, says: "uncommitted again" },
  {
    args: ["handoff", "--budget", "300"],
    about: "What the next session is told, in at most 300 tokens.",
    code: 0,
    says: "bump the version",
  },
  {
    args: ["resume"],
    about: "The same session goes on, and knows.",
    code: 0,
    says: "read the brief: the journal is done, the version is not",
  },
];

/** A minute for a command on a busy machine. */
const STEP_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Nothing at all where there is no git to tell it with. */
export async function* tellStory(
  folder: string,
  program: readonly string[],
  columns: number,
): AsyncGenerator<StoryStep> {
  const repo = join(folder, "repo");
  const env = { ...environment(folder), COLUMNS: String(columns) };
  if (!(await prepare(repo, env))) return;
  for (const { args, about, code, says } of STEPS) {
    const [file = "", ...before] = program;
    const outcome = await runProgram(file, [...before, ...args], {
      cwd: repo,
      env,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      timeoutMs: STEP_TIMEOUT_MS,
    });
    const output = outputOf(outcome);
    const ended = outcome.kind === "ended" ? outcome.code : null;
    yield { command: args, about, code: ended, isKept: ended === code && output.includes(says), output };
  }
}

const outputOf = (outcome: ProgramOutcome): string => {
  if (outcome.kind !== "ended") return `(${outcome.kind})`;
  return `${outcome.stderr}${outcome.stdout.toString("utf8")}`;
};

function environment(folder: string): Record<string, string> {
  const who = { NAME: "Demo", EMAIL: "demo@example.invalid" };
  const identity = ["AUTHOR", "COMMITTER"].flatMap((role) =>
    Object.entries(who).map(([field, value]) => [`GIT_${role}_${field}`, value] as const),
  );
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    REFLOAT_HOME: join(folder, "home"),
    GIT_CONFIG_NOSYSTEM: "1",
    NO_COLOR: "1",
    ...Object.fromEntries(identity),
  };
}

async function prepare(repo: string, env: Record<string, string>): Promise<boolean> {
  makePrivateDirectory(join(repo, "journal"));
  if (findProgram("git", repo, env).kind !== "found") return false;
  const files: Readonly<Record<string, string>> = {
    "journal/today.md": "# Today\n",
    "package.json": '{ "name": "demo", "version": "1.0.0" }\n',
    "agent.sh": AGENT,
  };
  for (const [name, text] of Object.entries(files)) writeDurable(join(repo, name), text, { mode: 0o644 });
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-q", "-m", "the beginning"],
  ]) {
    const done = await runProgram("git", args, {
      cwd: repo,
      env,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      timeoutMs: STEP_TIMEOUT_MS,
    });
    if (done.kind !== "ended" || done.code !== 0) return false;
  }
  return true;
}

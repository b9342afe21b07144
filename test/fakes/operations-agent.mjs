/**
 * An agent that works in operations, one step after the other, as the JSON list in its second argument says; the first is a
 * folder outside the workspace for notes. Steps:
 *   ["begin", label]      ["begin", label, path...]    `refloat op begin`
 *   ["end"]               ["end", "--abort"]           `refloat op end`
 *   ["refloat", ...args]  any other command of ours, under the session's mark ($ME is its id); its exit code becomes a note
 *   ["print", line]       a line of its own, a text marker for instance
 *   ["write", path, text] ["append", path, text]
 *   ["git", ...args]      git, as an agent runs it
 *   ["note", name]        says that it has come so far
 *   ["await", name]       waits until somebody else has noted that
 *   ["exit", code]
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [, , notes, plan, program] = process.argv;
const me = /^(.+)\.\d+\.[^.]+$/.exec(process.env.REFLOAT_SESSION ?? "")?.[1] ?? "";
const note = (name, value) => {
  writeFileSync(join(notes, `.${name}`), String(value));
  renameSync(join(notes, `.${name}`), join(notes, name));
};

function run(command, args) {
  const { status, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) note("failed", `${args.join(" ")}: ${stderr}`);
  return status;
}

for (const [what, ...args] of JSON.parse(plan)) {
  if (what === "begin") {
    const [label, ...paths] = args;
    run(process.execPath, [program, "op", "begin", label, ...paths.flatMap((path) => ["--path", path])]);
  } else if (what === "end") run(process.execPath, [program, "op", "end", ...args]);
  else if (what === "refloat")
    note("code", run(process.execPath, [program, ...args.map((one) => (one === "$ME" ? me : one))]));
  else if (what === "print") writeSync(1, `${args[0]}\n`);
  else if (what === "git") run("git", args);
  else if (what === "note") note(args[0], process.pid);
  else if (what === "await") {
    // A test that is over takes its folder away.
    while (!existsSync(join(notes, args[0]))) {
      if (!existsSync(notes)) process.exit(1);
      await sleep(20);
    }
  } else if (what === "exit") process.exit(args[0]);
  else {
    const [path, text] = args;
    mkdirSync(dirname(path), { recursive: true });
    (what === "write" ? writeFileSync : appendFileSync)(path, text);
  }
}

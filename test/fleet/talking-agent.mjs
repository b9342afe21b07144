/**
 * Plays an agent with a conversation of its own, as the real ones write it down (Claude Code 2.1.325, pi 0.87.1, Qwen Code 0.24.4): `node talking-agent.mjs
 * AGENT ARGS...`. Begun, it says something, and more once `more` is in its .git, and waits to be killed. Gone on with, it prints what it has of
 * the conversation, says that it is done, and ends.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [agent, ...args] = process.argv.slice(2);
const cwd = process.cwd();
// Also in a work tree that is linked.
const git = execFileSync("git", ["rev-parse", "--absolute-git-dir"], { encoding: "utf8" }).trimEnd();
const home = process.env.HOME;
const givenBy = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const dashed = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
const at = () => new Date().toISOString();
const text = (said) => [{ type: "text", text: said }];

/** `place`: of the file; `head`: its first lines; `line`: what is said, below the line before. */
const FORMS = {
  claude: {
    root: ".claude/projects",
    resume: "--resume",
    place: (id) => join(dashed, `${id}.jsonl`),
    head: () => [],
    line: (id, role, said, parent) => ({
      ...{ parentUuid: parent, isSidechain: false, type: role, uuid: randomUUID(), timestamp: at() },
      ...{ userType: "external", cwd, sessionId: id, version: "2.1.325", gitBranch: "main" },
      message:
        role === "user"
          ? { role, content: said }
          : {
              id: `msg_${randomUUID()}`,
              type: "message",
              role,
              model: "m",
              content: text(said),
              stop_reason: "end_turn",
            },
    }),
    idOf: (line) => line.uuid,
  },
  pi: {
    root: ".pi/agent/sessions",
    resume: "--fork",
    place: (id) => join(`--${cwd.slice(1).replaceAll("/", "-")}--`, `2026-11-15T02-27-53-139Z_${id}.jsonl`),
    head: (id, more) => [{ type: "session", version: 3, id, timestamp: at(), cwd, ...more }],
    line: (_id, role, said, parentId) => ({
      ...{ type: "message", id: randomUUID().slice(0, 8), parentId, timestamp: at() },
      message: {
        role,
        content: text(said),
        ...(role === "user" ? {} : { stopReason: "stop" }),
        timestamp: Date.now(),
      },
    }),
    // What stands first has an id that nothing hangs below.
    idOf: (line) => (line.type === "session" ? null : line.id),
  },
  qwen: {
    root: ".qwen/projects",
    resume: "--resume",
    place: (id) => join(dashed, "chats", `${id}.jsonl`),
    head: () => [],
    line: (id, role, said, parent) => ({
      ...{ uuid: randomUUID(), parentUuid: parent, sessionId: id, timestamp: at(), type: role },
      ...{
        cwd,
        version: "0.24.4",
        message: { role: role === "user" ? "user" : "model", parts: [{ text: said }] },
      },
    }),
    idOf: (line) => line.uuid,
  },
};

const { root, resume, place, head, line, idOf } = FORMS[agent];
const linesOf = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((one) => JSON.parse(one));
const asText = (lines) => lines.map((one) => `${JSON.stringify(one)}\n`).join("");

function say(path, id, role, said) {
  const last = existsSync(path) ? linesOf(path).at(-1) : undefined;
  appendFileSync(path, asText([line(id, role, said, last ? idOf(last) : null)]));
}

const of = givenBy(resume);
const id = givenBy("--session-id") ?? of;
const folder = join(home, root);
if (of === undefined) {
  const path = join(folder, place(id));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, asText(head(id)));
  say(path, id, "user", "please do the work");
  say(path, id, "assistant", "I begin with the first part.");
  // Half a line, as when it is killed while it writes.
  const whole = readFileSync(path);
  appendFileSync(path, '{"half":');
  writeFileSync(join(git, "ready"), path);
  while (!existsSync(join(git, "more"))) await new Promise((resolve) => setTimeout(resolve, 50));
  writeFileSync(path, whole);
  for (let n = 0; n < 20; n++) say(path, id, "assistant", `Something more, said before it was lost: ${n}.`);
  setInterval(() => undefined, 1000);
} else {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(`${of}.jsonl`),
  );
  const path = join(folder, found);
  const before = readFileSync(path, "utf8");
  const own = resume === "--fork" ? join(folder, place(id)) : path;
  if (own !== path) {
    mkdirSync(dirname(own), { recursive: true });
    const [, ...rest] = linesOf(path);
    writeFileSync(own, asText([...head(id, { parentSession: path }), ...rest]));
  }
  say(own, id, "assistant", "And now it is done, on another machine.");
  process.stdout.write(JSON.stringify({ of, path, before, args }));
}

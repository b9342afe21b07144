/**
 * Plays an agent that goes on in a copy of a conversation, as the real ones write it down (pi 0.87.1, Gemini CLI 0.61.0, Continue 1.5.47):
 * `node copying-agent.mjs AGENT ARGS...`. ANSWER is what its model says. FORGED: somebody writes another copy meanwhile, which says this.
 * HANGS: a file that it makes when all is written, and then it waits to be killed. DIES: it is killed when all is written.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [agent, ...args] = process.argv.slice(2);
const { HOME: home, ANSWER: answer = "And now it is done.", FORGED, HANGS, DIES } = process.env;
const givenBy = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const below = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
const now = () => new Date().toISOString();

function put(path, lines) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

const linesOf = (path) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const COPIES = {
  pi(says, id = givenBy("--session-id") ?? randomUUID()) {
    const root = join(home, ".pi/agent/sessions");
    const of = givenBy("--fork");
    const source = below(root).find((path) => path.endsWith(`_${of}.jsonl`));
    const [head, ...rest] = linesOf(source);
    const parentId = rest.at(-1).id;
    const content = [{ type: "text", text: says }];
    const message = { role: "assistant", content, stopReason: "stop", timestamp: Date.now() };
    put(join(root, `--${process.cwd().slice(1).replaceAll("/", "-")}--`, `2026_${id}.jsonl`), [
      { ...head, id, timestamp: now(), cwd: process.cwd(), parentSession: source },
      ...rest,
      { type: "message", id: randomUUID().slice(0, 8), parentId, timestamp: now(), message },
    ]);
  },
  gemini(says) {
    const source = givenBy("--session-file");
    const sessionId = randomUUID();
    const project = join(home, ".gemini/tmp/renamed");
    const [head, ...rest] = linesOf(source);
    const told = rest.filter(({ type, content }) => (type === "user" || type === "gemini") && content);
    const copied = { ...head, sessionId, startTime: now(), lastUpdated: now() };
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, ".project_root"), process.cwd());
    const file = (name) => join(project, "chats", `session-${name}-${sessionId.slice(0, 8)}.jsonl`);
    put(file("2026-11-16T20-32"), [{ ...copied, messages: undefined }]);
    put(file(Date.now()), [
      copied,
      {
        id: `import-${Date.now()}`,
        type: "info",
        content: `Imported session from ${source}`,
        timestamp: now(),
      },
      ...told,
      { id: randomUUID(), timestamp: now(), type: "gemini", content: says, thoughts: [] },
    ]);
  },
  continue(says) {
    const folder = join(home, ".continue/sessions");
    const source = JSON.parse(readFileSync(join(folder, `${givenBy("--fork")}.json`), "utf8"));
    const sessionId = randomUUID();
    const said = { message: { role: "assistant", content: says }, contextItems: [] };
    const history = [...source.history, said];
    writeFileSync(
      join(folder, `${sessionId}.json`),
      JSON.stringify({ sessionId, title: source.title, workspaceDirectory: process.cwd(), history }),
    );
  },
};

if (FORGED) COPIES[agent](FORGED, randomUUID());
COPIES[agent](answer);
if (HANGS) writeFileSync(HANGS, String(process.pid));
if (DIES) process.kill(process.pid, "SIGKILL");
if (HANGS) setInterval(() => undefined, 1000);

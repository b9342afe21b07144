/**
 * One conversation of a real agent with the SDK's client as its editor, through `refloat acp`: a prompt, a kill in a tool, the same conversation
 * loaded, another prompt. In namespaces of its own, as inside.ts; writes evidence.json.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
} from "@agentclientprotocol/sdk";
import { type AgentName, nodeFolder, prepareCli } from "./agent-clis.ts";
import type { Body } from "./model/conversation.ts";
import { promptOf } from "./model/scripts.ts";
import { startModel } from "./model/server.ts";

export interface AcpOrder {
  readonly agent: AgentName;
  readonly folder: string;
  readonly root: string;
  readonly refloat: readonly string[];
  /** What makes its command line one that speaks ACP: how many words of it are the program's, and what follows them. */
  readonly words: number;
  readonly acp: readonly string[];
}

export interface AcpEvidence {
  readonly killed: { readonly code: number | null };
  readonly replayed: number;
  readonly stopReason: string;
  readonly notes: string;
  readonly sessions: Body[];
  readonly log: Body;
  readonly show: Body;
}

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as AcpOrder;
const [home, folder] = [join(order.folder, "home"), join(order.folder, "repo")];
spawnSync("ip", ["link", "set", "lo", "up"]);
for (const one of [home, folder]) mkdirSync(one, { recursive: true });
const repo = realpathSync(folder);
const model = await startModel(repo);
const cli = prepareCli(order.agent, { root: order.root, home, repo, port: model.port });
const env = {
  PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "dumb", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  ...cli.env,
};
const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
for (const args of [
  ["init", "-q", "-b", "main", "."],
  [...identity, "commit", "-qm", "one", "--allow-empty"],
])
  spawnSync("git", args, { cwd: repo, env });

interface Editor {
  readonly child: ChildProcess;
  readonly agent: ClientContext;
  readonly count: () => number;
}

async function editor(): Promise<Editor> {
  const words = [...order.refloat, "acp", "--", ...cli.command("").slice(0, order.words), ...order.acp];
  const child = spawn(words[0] ?? "", words.slice(1), { cwd: repo, env, stdio: ["pipe", "pipe", "inherit"] });
  let updates = 0;
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  );
  const { agent } = client({ name: "editor" })
    .onNotification(methods.client.session.update, () => {
      updates += 1;
    })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      const allowed = options.find(({ kind }) => kind.startsWith("allow")) ?? options[0];
      return { outcome: { outcome: "selected", optionId: allowed?.optionId ?? "" } };
    })
    .connect(stream);
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
  });
  return { child, agent, count: () => updates };
}

const textOf = (name: string): string =>
  existsSync(join(repo, name)) ? readFileSync(join(repo, name), "utf8") : "";

const prompted = ({ agent }: Editor, sessionId: string, text: string): Promise<PromptResponse> =>
  agent.request<PromptResponse>(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
  });

function told(...args: string[]): Body {
  const [program = "", ...first] = order.refloat;
  const { stdout } = spawnSync(program, [...first, ...args, "--json"], {
    cwd: repo,
    env,
    maxBuffer: 1 << 26,
  });
  return JSON.parse(String(stdout)) as Body;
}

const first = await editor();
const begun = { cwd: repo, mcpServers: [] };
const { sessionId } = await first.agent.request<{ sessionId: string }>(methods.agent.session.new, begun);
prompted(first, sessionId, promptOf("tool")).catch(() => undefined);
while (!/^begin$/m.test(textOf("half.txt"))) await after(100);
await after(1500);
const [session] = told("sessions").sessions as Body[];
const agents = readFileSync(`/proc/${first.child.pid}/task/${first.child.pid}/children`, "utf8").trim();
for (const pid of agents.split(" ")) process.kill(Number(pid), "SIGKILL");
const [code] = (await once(first.child, "exit")) as [number | null];
const second = await editor();
await second.agent.request(methods.agent.session.load, { ...begun, sessionId });
const replayed = second.count();
const { stopReason } = await prompted(second, sessionId, promptOf("clean"));
second.child.stdin?.end();
await once(second.child, "exit");
const evidence: AcpEvidence = {
  ...{ killed: { code }, replayed, stopReason, notes: textOf("notes.txt") },
  sessions: told("sessions").sessions,
  log: told("log", String(session?.id)),
  show: told("show", String(session?.id)),
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);

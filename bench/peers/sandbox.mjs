// @ts-check
/**
 * Where a peer runs: with an environment that holds nothing of the user's, every switch against telemetry we
 * know of, and a network namespace that has loopback and nothing else, because a switch is a promise and a
 * namespace is a fact. Where no namespace can be made, the peers run only for who asks for it by name.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const LOOPBACK_ONLY = ["--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
/** Root may make a namespace; others may where user namespaces are allowed, and keep their own user id in it. */
const WAYS = [
  ["-n", ...LOOPBACK_ONLY],
  ["--user", "--map-current-user", "--keep-caps", "-n", ...LOOPBACK_ONLY],
];
export const OPEN_NETWORK = "--open-network";

/**
 * @typedef {{ kind: "boxed", network: "loopback only" | "open",
 *   wrap: (command: string, args: string[]) => [string, string[]] }} Boxed
 * @typedef {{ kind: "failed", reason: string }} Unboxed
 */

/**
 * @param {readonly string[]} flags
 * @returns {Boxed | Unboxed}
 */
export function sandbox(flags) {
  const way = WAYS.find((args) => spawnSync("unshare", [...args, "true"]).status === 0);
  if (way !== undefined) {
    return {
      kind: "boxed",
      network: "loopback only",
      wrap: (command, args) => ["unshare", [...way, command, ...args]],
    };
  }
  if (flags.includes(OPEN_NETWORK))
    return { kind: "boxed", network: "open", wrap: (command, args) => [command, args] };
  const reason = `no network namespace can be made here (unshare, ip); ${OPEN_NETWORK} runs the peers without one`;
  return { kind: "failed", reason };
}

/**
 * @param {string} dir which becomes the peer's home
 * @returns {NodeJS.ProcessEnv}
 */
export function peerEnvironment(dir) {
  const home = join(dir, "home");
  mkdirSync(home);
  return {
    PATH: process.env.PATH,
    HOME: home,
    LANG: "C.UTF-8",
    DO_NOT_TRACK: "1",
    LANGCHAIN_TRACING_V2: "false",
    LANGSMITH_TRACING: "false",
    MASTRA_TELEMETRY_DISABLED: "1",
    OTEL_SDK_DISABLED: "true",
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
  };
}

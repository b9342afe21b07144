/** What a real agent is started with, and which processes are its own. */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, nodeFolder } from "./agent-clis.ts";

/** Nothing of the environment that the tests were started in. */
export function cleanEnv(
  { root, home }: { readonly root: string; readonly home: string },
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: `${nodeFolder(root)}:/usr/bin:/bin`,
    HOME: home,
    ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    ...more,
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly program: string;
}

export function processes(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || !existsSync(`/proc/${name}/stat`)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const program = readlinkSync(`/proc/${name}/exe`);
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), command, program }];
    } catch (_gone) {
      return [];
    }
  });
}

interface Around {
  readonly agent: AgentName;
  readonly root: string;
  readonly refloat: readonly string[];
}

/** The agent's own processes, a child it relaunched itself as among them; never its tools, whose programs are the system's. */
export function agentsBelow(pid: number, { agent, root, refloat }: Around): number[] {
  const all = processes();
  const below = (of: number): Process[] =>
    all.filter(({ parent }) => parent === of).flatMap((one) => [one, ...below(one.pid)]);
  const folders = ["node22", agent].map((name) => realpathSync(join(root, name)));
  return [...all.filter((one) => one.pid === pid), ...below(pid)]
    .filter(({ program }) => folders.some((folder) => program.startsWith(`${folder}/`)))
    .filter(({ command }) => !command.includes(refloat.at(-1) ?? ""))
    .map((one) => one.pid);
}

/** Nothing leaves the machine (T4): the commands in a network of their own, with nothing but loopback in it, and every connection they ask for counted. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { need, unshareArguments } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KILLED_WITH_IT = 'test -e "$HOME/once" || { touch "$HOME/once"; kill -9 $PPID; }';

/** As people and agents call them, with what is on their standard input. */
const COMMANDS: readonly (readonly [words: readonly string[], input?: string])[] = [
  [["init", "--yes"]],
  [["refloat-hook", "claude", "SessionStart"], JSON.stringify({ session_id: "s", source: "startup" })],
  [
    ["refloat-hook", "claude", "PreToolUse"],
    JSON.stringify({ session_id: "s", tool_name: "Bash", tool_input: { command: "rm -rf f" } }),
  ],
  [["status"]],
  [["inspect"]],
  [["run", "--", "sh", "-c", "echo more >> f"]],
  // Dies with its supervisor once, so that there is something to go on with.
  [["run", "--", "sh", "-c", KILLED_WITH_IT]],
  [["resume"]],
  [["loop", "--max", "1", "--", "sh", "-c", "echo again >> f"]],
  [["acp", "--", "true"]],
  [["capture"]],
  [["hook", "capture", "claude"], JSON.stringify({ session_id: "s", tool_input: { command: "rm -rf f" } })],
  [["mcp"], spoken()],
  [["guard", ".", "--hold"]],
  [["serve", "--no-open", "--port", "8400"]],
  [["settle", "--yes"]],
  [["discard", "--yes", "--", "f"]],
  [["undo", "--yes"]],
  [["handoff"]],
  [["doctor"]],
  [["store", "check"]],
  [["uninstall", "--yes"]],
];

/** A client that asks how things stand, and goes. */
function spoken(): string {
  const clientInfo = { name: "test", version: "1" };
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "status", arguments: {} } },
  ];
  return messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
}

/** How those are called that stay until somebody ends them. */
const STAYS: Readonly<Record<string, string>> = {
  // The end of its input is the client's death for a server: it comes when there was time for the answer.
  mcp: '{ cat; sleep 8; } | "$0" "$@"',
  // A browser on this machine asks for the page; then Ctrl-C.
  serve: `ip link set lo up
"$0" "$@" & page=$!
for n in 1 2 3 4 5 6 7 8 9; do
  sleep 2
  "$0" -e 'fetch("http://127.0.0.1:8400/").then(({ status }) => console.log("page " + status))' 2>/dev/null && break
done
kill -INT $page; wait $page`,
};

/** An address that is not of this machine, as strace shows it; and whoever is asked for a name, here or elsewhere, asks others for it. */
const FOREIGN =
  /sa_family=AF_INET6?,(?!.*(?:inet_addr\("127\.|"::1"|"::ffff:127\.))|sin6?_port=htons\(53\)|nscd|systemd\/resolve|io\.systemd\.Resolve/;

const TRACED = "trace=connect,sendto,sendmsg,sendmmsg";

describe("the network", () => {
  it("T4: no command, and nothing it starts, asks for a connection to another machine", () => {
    need("strace");
    const home = temporaryFolder();
    const repo = testRepository(temporaryFolder());
    repo.write("f", "1\n");
    repo.commit();
    repo.git("remote", "add", "origin", "https://example.invalid/repo.git");
    repo.write("f", "2\n");
    // An agent that is used here, so that there is something to hear and to set up.
    mkdirSync(join(home, ".claude/projects"), { recursive: true });
    const asked: string[] = [];
    for (const [words, input = ""] of COMMANDS) {
      const log = join(temporaryFolder(), "calls");
      const trace = ["strace", "-f", "-qq", "-s", "200", "-e", TRACED, "-o", log];
      const [first = "", ...rest] = words;
      const stays = STAYS[first] === undefined ? [] : ["sh", "-c", STAYS[first]];
      const called =
        first === "refloat-hook"
          ? [join(home, "refloat/bin", first), ...rest]
          : [process.execPath, BIN, ...words];
      const inside = [...trace, ...stays, ...called];
      const { status, signal, stdout, stderr, error } = spawnSync(
        "unshare",
        [...unshareArguments("--mount"), "--net", "--", ...inside],
        {
          cwd: repo.root,
          input,
          encoding: "utf8",
          timeout: 120_000,
          env: {
            PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
            HOME: home,
            REFLOAT_HOME: join(home, "refloat"),
          },
        },
      );
      const said = `${words.join(" ")}: ${stdout} ${stderr}`;
      expect([error, signal ?? status], said).toEqual([
        undefined,
        words.at(-1) === KILLED_WITH_IT ? "SIGKILL" : 0,
      ]);
      // It says 0 whatever happens: what it wrote down says that it did it.
      if (words[0] === "refloat-hook")
        expect(readdirSync(join(home, "refloat/inbox")), said).toContainEqual(
          expect.stringMatching(/\.hook$/),
        );
      if (words[0] === "mcp") expect(stdout, said).toContain('"id":2');
      if (words[0] === "serve") expect(stdout, said).toContain("page 200");
      const calls = readFileSync(log, "utf8").split("\n");
      asked.push(...calls.filter((line) => FOREIGN.test(line)).map((line) => `${words.join(" ")}: ${line}`));
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ["a connection", `import net from "node:net"; net.connect(9, "192.0.2.1").on("error", () => {});`],
    ["a name", `import dns from "node:dns"; dns.lookup("example.invalid", () => {});`],
    ["a name, by itself", `import dns from "node:dns"; dns.resolve("example.invalid", () => {});`],
  ])("and a program that asks for %s is seen by the same count", (_what, text) => {
    need("strace");
    const folder = temporaryFolder();
    const log = join(folder, "calls");
    writeFileSync(join(folder, "p.mjs"), text);
    const trace = ["strace", "-f", "-qq", "-s", "200", "-e", TRACED, "-o", log];
    const inside = [...trace, process.execPath, join(folder, "p.mjs")];
    spawnSync("unshare", [...unshareArguments("--mount"), "--net", "--", ...inside], { timeout: 60_000 });
    expect(
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => FOREIGN.test(line)).length,
    ).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from "vitest";
import {
  findAbandoned,
  findLeftovers,
  isDaemon,
  judgeLeftover,
  markText,
  type ProcessFacts,
  parseMark,
  type VerdictFacts,
} from "./leftovers.ts";

const MARK = "s1.2.random";
const process = (pid: number, more: Partial<ProcessFacts> = {}): ProcessFacts => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  foreground: -1,
  started: pid * 10,
  hasExited: false,
  isStopped: false,
  name: "sh",
  mark: null,
  isOurs: true,
  ...more,
});
const query = { mark: MARK, seen: [], self: 999, isShared: () => false };

const verdictOf = (
  processes: ProcessFacts[],
  pid: number,
  more: Partial<VerdictFacts> = {},
  seen = query.seen,
) => {
  const leftovers = findLeftovers(processes, { ...query, seen });
  const found = leftovers.find(({ row }) => row.pid === pid);
  if (!found) return null;
  const facts = { mark: MARK, agent: null, leftovers, isListening: () => false, liveOwners: [], ...more };
  return judgeLeftover(found, facts);
};

describe("a server that its user's sessions share (S2)", () => {
  const server = { ...query, isShared: (pid: number) => pid === 2 };
  const processes = [
    process(2, { mark: MARK }),
    process(3, { mark: MARK, parent: 2 }),
    process(4, { mark: MARK, parent: 3 }),
    process(5, { mark: MARK }),
  ];

  it("is nobody's leftover, whatever it inherited, and was seen to descend from", () => {
    const seen = [{ pid: 2, started: 20 }];
    expect(findLeftovers(processes, { ...server, seen }).map(({ row }) => row.pid)).toEqual([3, 4, 5]);
    expect(findLeftovers([process(2)], { ...server, seen })).toEqual([]);
  });

  it("keeps what runs below it, which may be another session's; what our own agent started is stopped", () => {
    const leftovers = findLeftovers(processes, server);
    const facts = { mark: MARK, agent: null, leftovers, isListening: () => false, liveOwners: [] };
    const because = "it belongs to 2, which serves other sessions, too";
    expect(leftovers.map((one) => judgeLeftover(one, facts))).toEqual([
      { kind: "leave", because, isAnothers: true },
      { kind: "leave", because, isAnothers: true },
      { kind: "stop" },
    ]);
  });
});

describe("what is an attempt's (S2)", () => {
  it("is the exact mark only: not another attempt's, not another session's whose id begins alike, not a dead one", () => {
    const found = findLeftovers(
      [
        process(2, { mark: MARK }),
        process(3, { mark: "s1.1.random" }),
        process(4, { mark: "s1.2.random2" }),
        process(5, { mark: "s1.2.rando" }),
        process(6, { mark: MARK, hasExited: true }),
        process(7),
      ],
      query,
    );
    expect(found.map(({ row: { pid } }) => pid)).toEqual([2]);
  });

  it("is not a marked process of another user or pid namespace", () => {
    expect(findLeftovers([process(2, { mark: MARK, isOurs: false })], query)).toEqual([]);
  });

  it("is a descendant the supervisor saw, by pid and start time; never another process that got its pid", () => {
    const seen = [
      { pid: 2, started: 20 },
      { pid: 3, started: 29 },
    ];
    const found = findLeftovers([process(2), process(3)], { ...query, seen });
    expect(found.map(({ row: { pid }, evidence }) => [pid, evidence])).toEqual([[2, "descendant"]]);
  });

  it("is never the process that asks, nor one of its ancestors, whatever they carry", () => {
    const processes = [
      process(10, { mark: MARK }),
      process(20, { mark: MARK, parent: 10 }),
      process(999, { mark: MARK, parent: 20 }),
      process(30, { mark: MARK, parent: 10 }),
    ];
    expect(findLeftovers(processes, query).map(({ row: { pid } }) => pid)).toEqual([30]);
  });
});

describe("what may be stopped of it (S2)", () => {
  it("is a plain process", () => {
    expect(verdictOf([process(2, { mark: MARK })], 2)).toEqual({ kind: "stop" });
  });

  it("is never a multiplexer or daemon, nor what runs inside one that the attempt started", () => {
    const processes = [
      process(2, { mark: MARK, name: "tmux: server" }),
      process(3, { mark: MARK, parent: 2, name: "bash" }),
      process(4, { mark: MARK, parent: 3, name: "vim" }),
    ];
    expect(verdictOf(processes, 2)).toMatchObject({ kind: "leave" });
    expect(verdictOf(processes, 4)).toEqual({
      isAnothers: false,
      kind: "leave",
      because: expect.stringMatching(/^it belongs to 2, which is a daemon/),
    });
  });

  it("is what runs inside the user's own multiplexer all the same: that one is not the attempt's", () => {
    const processes = [process(2, { name: "tmux: server" }), process(3, { mark: MARK, parent: 2 })];
    expect(verdictOf(processes, 3)).toEqual({ kind: "stop" });
  });

  it("is never a listening server, nor one that cannot be looked into", () => {
    const processes = [process(2, { mark: MARK })];
    expect(verdictOf(processes, 2, { isListening: () => true })).toMatchObject({ kind: "leave" });
    expect(verdictOf(processes, 2, { isListening: () => null })).toMatchObject({ kind: "leave" });
  });

  it("is never a worker of such a server; the agent itself keeps nothing, whatever it listens to", () => {
    const processes = [process(2, { mark: MARK }), process(3, { mark: MARK, parent: 2 })];
    const isListening = (pid: number): boolean => pid === 2;
    expect(verdictOf(processes, 3, { isListening })).toMatchObject({ kind: "leave" });
    expect(verdictOf(processes, 3, { isListening, agent: 2 })).toEqual({ kind: "stop" });
    expect(verdictOf(processes, 2, { isListening, agent: 2 })).toEqual({ kind: "stop" });
  });

  it("is never another session's process, even if the supervisor saw it descend from its agent", () => {
    const seen = [{ pid: 2, started: 20 }];
    const other = [process(2, { mark: "s9.1.other" })];
    expect(verdictOf(other, 2, {}, seen as never)).toMatchObject({ kind: "leave" });
    const owner = { liveOwners: [{ pid: 2, started: 20 }] };
    expect(verdictOf([process(2, { mark: MARK })], 2, owner)).toMatchObject({ kind: "leave" });
  });

  it("knows daemons by the names they give themselves", () => {
    const names = ["tmux: server", "SCREEN", "ssh: /home/a/.ssh/c [mux]", "gpg-agent", "dbus-daemon"];
    expect(names.filter((name) => !isDaemon(name))).toEqual([]);
    expect(["sh", "node", "tmuxinator", "ssh", "docker", "python3"].filter(isDaemon)).toEqual([]);
  });
});

describe("the mark of a child (S2)", () => {
  it("is read back as it was made, from ids with dots, too", () => {
    for (const session of ["k3v9", "chat.42", "a.1.b"]) {
      const mark = { session, attempt: 3, random: "x7" };
      expect(parseMark(markText(mark))).toEqual(mark);
    }
  });

  it("is not read into what is none: a bare id, an attempt that is no number, a part missing", () => {
    for (const text of ["", "k3v9", "k3v9.x.r", "k3v9.0.r", ".1.r", "k3v9.1."])
      expect(parseMark(text)).toBeNull();
  });
});

describe("what an agent that nobody supervised may have left (S2)", () => {
  const here = (...pids: number[]) => ({ self: 999, worksHere: (pid: number) => pids.includes(pid) });
  const found = (processes: ProcessFacts[], ...pids: number[]): number[] =>
    findAbandoned(processes, here(...pids)).map(({ pid }) => pid);

  it("is what works here and is nobody's child any more, with its own children; not what works elsewhere or is over", () => {
    const tool = [process(20), process(21, { parent: 20, name: "sleep" })];
    expect(found(tool, 20, 21)).toEqual([20, 21]);
    expect(found(tool, 21)).toEqual([]);
    expect(found([process(20, { hasExited: true })], 20)).toEqual([]);
    expect(found([process(5, { name: "systemd" }), process(20, { parent: 5 })], 20)).toEqual([20]);
  });

  it("is never what a person's shell or terminal started, nor this process and who started it, nor a session's own", () => {
    const terminal = [process(8, { name: "sshd" }), process(20, { parent: 8 }), process(21, { parent: 20 })];
    expect(found(terminal, 20, 21)).toEqual([]);
    const mine = [process(20), process(21, { parent: 20 }), process(999, { parent: 20 })];
    expect(found(mine, 20, 21, 999)).toEqual([]);
    expect(found([process(20, { mark: MARK })], 20)).toEqual([]);
  });
});

import { expect, test } from "vitest";
import { parseStatus, systemProcesses } from "./process-table.ts";

const line = (name: string, state: string, threads = 1, started: string | number = 85_936) =>
  `4636 (${name}) ${state} 4634 4634 2477 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 ${threads} 0 ${started} 3133440 380\n`;

test.each(["cat", "a b", "a) S 1 1 (b", "tricky )", "line\nbreak", ""])(
  "the start time is found whatever the process calls itself: %j",
  (name) => {
    expect(parseStatus(line(name, "S"))).toEqual({ started: 85_936, hasExited: false });
  },
);

test.each([
  ["R", 1, false],
  ["S", 11, false],
  ["D", 1, false],
  ["T", 1, false],
  ["Z", 1, true],
  ["X", 1, true],
  ["x", 0, true],
  ["Z", 2, false],
])(
  "state %s with %i threads counts as exited: %s (K2: with a thread still running it is not dead)",
  (state, threads, hasExited) => {
    expect(parseStatus(line("node", state, threads))).toEqual({ started: 85_936, hasExited });
  },
);

test.each(["", "4636 cat S 1", "4636 (cat) S 1 2 3", line("cat", "S", 1, "soon")])(
  "a line that is not one of a process is not readable rather than a guess: %j",
  (text) => {
    expect(parseStatus(text)).toBeNull();
  },
);

test.each([0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 53])(
  "%d is no process's number: neither present nor missing, and no group is asked about",
  (pid) => {
    expect(systemProcesses.exists(pid)).toBeNull();
    expect(systemProcesses.statusOf(pid)).toBeNull();
  },
);

test("this process exists and is running; the largest possible pid does not exist", () => {
  expect(systemProcesses.exists(process.pid)).toBe(true);
  expect(systemProcesses.statusOf(process.pid)?.hasExited).toBe(false);
  expect(systemProcesses.exists(2 ** 31 - 1)).toBe(false);
  expect(systemProcesses.statusOf(2 ** 31 - 1)).toBeNull();
});

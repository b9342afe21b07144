/** Scribes: each does a scripted call to the tree as its agent's tools do, and writes it down as its agent does. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDatabase } from "../fixture-home.ts";
import { applyShell, ROOT, replacedBy, type ScriptedCall, type Tree } from "./world.ts";

/** What became of a call that the death came upon. */
export type Fate = "ended" | "not begun" | "no result" | "half";

export interface Scribe {
  readonly agent: string;
  call(tree: Tree, call: ScriptedCall, fate: Fate): void;
  /** Two at once, which end in the order they were asked for, whichever was done first. */
  together?(tree: Tree, calls: readonly [ScriptedCall, ScriptedCall], first: 0 | 1): void;
  finish(folder: string): string;
}

type Line = Record<string, unknown>;
const TIME = 1_794_709_673_000;
const time = (n: number): string => new Date(TIME + n * 1000).toISOString();
const lossy = (text: string): string => text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");

/** The tree after a call, or as far as it came. Null: the tool refuses. */
function done(agent: string, tree: Tree, call: ScriptedCall, fate: Fate): string | null {
  const was = tree.get(call.path);
  if (call.what === "shell") {
    if (fate !== "not begun") applyShell(tree, call);
    return "";
  }
  if (call.what === "read") return was === undefined ? null : was;
  const mark =
    agent === "opencode" &&
    call.what === "write" &&
    was?.startsWith("\ufeff") &&
    !call.after?.startsWith("\ufeff");
  const after =
    call.what === "write"
      ? (mark ? "\ufeff" : "") + (call.after ?? "")
      : replacedBy(agent, was ?? "", call.replace ?? { old: "", put: "", isEverywhere: false });
  if (after === null) return null;
  if (fate === "ended" || fate === "no result") tree.set(call.path, after);
  if (fate === "half") tree.set(call.path, after.slice(0, after.length >> 1));
  return after;
}

abstract class LinesScribe implements Scribe {
  abstract readonly agent: string;
  protected readonly lines: Line[] = [];
  protected count = 0;
  abstract call(tree: Tree, call: ScriptedCall, fate: Fate): void;
  /** A line knows its place only when all are there. */
  protected abstract linked(line: Line, at: number): Line;
  together(tree: Tree, calls: readonly [ScriptedCall, ScriptedCall], first: 0 | 1): void {
    const told: Line[][] = [];
    for (const which of [first, 1 - first]) {
      const from = this.lines.length;
      this.call(tree, calls[which] as ScriptedCall, "ended");
      told[which] = this.lines.splice(from);
    }
    const [one, two] = told as [Line[], Line[]];
    this.lines.push(...one.slice(0, 1), ...two.slice(0, 1), ...one.slice(1), ...two.slice(1));
  }
  finish(folder: string): string {
    const path = join(folder, "transcript");
    const lines = this.lines.map((line, at) => this.linked(line, at));
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  }
}

export class PiScribe extends LinesScribe {
  readonly agent = "pi";
  protected linked(line: Line, at: number): Line {
    return at === 0
      ? line
      : { ...line, id: `r${at}`, parentId: at === 1 ? null : `r${at - 1}`, timestamp: time(at) };
  }
  constructor() {
    super();
    this.lines.push({
      type: "session",
      version: 3,
      id: "01a1dd08-54b2-723a-b6f2-568cf28daa9e",
      timestamp: time(0),
      cwd: ROOT,
    });
  }
  call(tree: Tree, call: ScriptedCall, fate: Fate): void {
    const id = `call_${++this.count}`;
    const [name, args] = this.#asked(call);
    this.#message({
      role: "assistant",
      content: [{ type: "toolCall", id, name, arguments: args }],
      stopReason: "toolUse",
    });
    const after = done("pi", tree, call, fate);
    if (fate !== "ended") return;
    const text =
      after === null ? "Could not find the exact text" : call.what === "read" ? after : "Successfully wrote";
    this.#message({
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text }],
      isError: after === null,
    });
  }
  #asked({ what, path, after, replace, command }: ScriptedCall): [string, Line] {
    switch (what) {
      case "write":
        return ["write", { path, content: after }];
      case "read":
        return ["read", { path }];
      case "shell":
        return ["bash", { command }];
      default:
        return ["edit", { path, edits: [{ oldText: replace?.old, newText: replace?.put }] }];
    }
  }
  #message(message: Line): void {
    this.lines.push({ type: "message", message });
  }
}

export class ClaudeScribe extends LinesScribe {
  readonly agent = "claude";
  protected linked(line: Line, at: number): Line {
    return { ...line, uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, timestamp: time(at) };
  }
  call(tree: Tree, call: ScriptedCall, fate: Fate): void {
    const id = `toolu_${++this.count}`;
    const [name, input] = this.#asked(call);
    const was = tree.get(call.path);
    this.#record("assistant", {
      model: "m",
      role: "assistant",
      content: [{ type: "tool_use", id, name, input }],
      stop_reason: "tool_use",
    });
    const after = done("claude", tree, call, fate);
    if (fate !== "ended") return;
    const failed = after === null;
    const content = [
      {
        tool_use_id: id,
        type: "tool_result",
        content: failed ? "String to replace not found" : "done",
        is_error: failed,
      },
    ];
    this.#record("user", { role: "user", content }, failed ? "Error" : this.#beside(call, was, after));
  }
  #asked({ what, path: file_path, after, replace, command }: ScriptedCall): [string, Line] {
    switch (what) {
      case "write":
        return ["Write", { file_path, content: after }];
      case "read":
        return ["Read", { file_path }];
      case "shell":
        return ["Bash", { command }];
      default:
        return [
          "Edit",
          {
            file_path,
            old_string: replace?.old,
            new_string: replace?.put,
            replace_all: replace?.isEverywhere,
          },
        ];
    }
  }
  #beside({ what, path: filePath, after, replace }: ScriptedCall, was: string | undefined, is: string): Line {
    if (what === "shell") return { stdout: "", stderr: "", interrupted: false };
    if (what === "read") {
      const content = lossy(is);
      const lines = content.split("\n").length;
      return { type: "text", file: { filePath, content, numLines: lines, startLine: 1, totalLines: lines } };
    }
    if (what === "write")
      return was === undefined
        ? { type: "create", filePath, content: after, structuredPatch: [], originalFile: null }
        : { type: "update", filePath, content: after, structuredPatch: [], originalFile: lossy(was) };
    // The text it found, with the signs the file has.
    const before = lossy(was ?? "");
    const old = replace?.old ?? "";
    const at = before.includes(old)
      ? before.indexOf(old)
      : before.replaceAll(/[“”]/g, '"').indexOf(old.replaceAll(/[“”]/g, '"'));
    const oldString = before.slice(at, at + old.length);
    return {
      filePath,
      oldString,
      newString: replace?.put,
      originalFile: before,
      structuredPatch: [],
      userModified: false,
      replaceAll: replace?.isEverywhere,
    };
  }
  #record(type: string, message: Line, toolUseResult?: unknown): void {
    this.lines.push({
      isSidechain: false,
      type,
      message,
      ...(toolUseResult === undefined ? {} : { toolUseResult }),
      cwd: ROOT,
      sessionId: "11111111-2222-4333-8444-555555555555",
      version: "2.1.325",
      gitBranch: "main",
    });
  }
}

export class CodexScribe extends LinesScribe {
  readonly agent = "codex";
  protected linked(line: Line, at: number): Line {
    return { ...line, timestamp: time(at), ordinal: at };
  }
  constructor() {
    super();
    this.#line("session_meta", {
      id: "01a1e45c",
      timestamp: time(0),
      cwd: ROOT,
      cli_version: "0.166.0",
      source: "exec",
    });
    this.#line("event_msg", { type: "task_started", turn_id: "t1" });
  }
  call(tree: Tree, call: ScriptedCall, fate: Fate): void {
    const id = `call_${++this.count}`;
    if (call.what === "shell" || call.what === "read") this.#command(tree, call, id, fate);
    else this.#patch(tree, call, id, fate);
  }
  #command(tree: Tree, call: ScriptedCall, id: string, fate: Fate): void {
    const cmd = call.command ?? `cat ${call.path.slice(ROOT.length + 1)}`;
    this.#line("response_item", {
      type: "function_call",
      id: `fc_${id}`,
      name: "exec_command",
      arguments: JSON.stringify({ cmd }),
      call_id: id,
    });
    const after = done("codex", tree, call, fate);
    if (fate !== "ended") return;
    const exit_code = after === null ? 1 : 0;
    const output = call.what === "read" ? (after ?? "No such file") : "";
    const item = {
      type: "CommandExecution",
      id,
      command: ["/bin/bash", "-lc", cmd],
      cwd: `file://${ROOT}`,
      aggregated_output: output,
      exit_code,
      status: "completed",
    };
    this.#line("event_msg", { type: "item_completed", item });
    this.#line("response_item", {
      type: "function_call_output",
      call_id: id,
      output: `Process exited with code ${exit_code}\nOutput:\n${output}`,
    });
  }
  #patch(tree: Tree, call: ScriptedCall, id: string, fate: Fate): void {
    const name = call.path.slice(ROOT.length + 1);
    const was = tree.get(call.path) ?? "";
    const { asked, after, change } = patchOf(call, name, was);
    const input = `*** Begin Patch\n${asked}\n*** End Patch\n`;
    this.#line("response_item", {
      type: "custom_tool_call",
      id: `ctc_${id}`,
      call_id: id,
      name: "apply_patch",
      input,
    });
    const isApplied = change !== null;
    if (isApplied && fate !== "not begun") {
      if (call.what === "delete" || call.what === "move") tree.delete(call.path);
      if (call.what !== "delete")
        tree.set(call.to ?? call.path, fate === "half" ? after.slice(0, after.length >> 1) : after);
    }
    if (fate !== "ended") return;
    if (isApplied)
      this.#line("event_msg", {
        type: "item_completed",
        item: {
          type: "FileChange",
          id,
          changes: { [call.path]: change },
          status: "completed",
          stdout: "Success",
          stderr: "",
        },
      });
    const output = isApplied
      ? "Exit code: 0\nOutput:\nSuccess"
      : "apply_patch verification failed: Failed to find expected lines";
    this.#line("response_item", { type: "custom_tool_call_output", call_id: id, output });
  }
  #line(type: string, payload: Line): void {
    this.lines.push({ type, payload });
  }
}

interface MadePatch {
  readonly asked: string;
  readonly after: string;
  /** Codex's own record of it; null: it refuses. */
  readonly change: Line | null;
}

/** Codex's way: lines are looked for from the top, the first place where all fit counts, and the file ends with a line feed. */
function patchOf(call: ScriptedCall, name: string, was: string): MadePatch {
  if (call.what === "write") {
    const lines = (call.after ?? "").replaceAll("\r", "").replace(/\n$/, "").split("\n");
    const after = lines.map((line) => `${line}\n`).join("");
    return {
      asked: `*** Add File: ${name}\n${lines.map((line) => `+${line}`).join("\n")}`,
      after,
      change: { type: "add", content: after },
    };
  }
  if (call.what === "delete")
    return { asked: `*** Delete File: ${name}`, after: "", change: { type: "delete", content: was } };
  const lines = was.replace(/\n$/, "").split("\n");
  const { at, keeps, takes, puts } = call.lines ?? { at: 0, keeps: 1, takes: 0, puts: ["moved"] };
  const kept = lines.slice(at, at + keeps);
  const taken = lines.slice(at + keeps, at + keeps + takes);
  const wanted = [...kept, ...taken];
  const hunk = [
    ...kept.map((line) => ` ${line}`),
    ...taken.map((line) => `-${line}`),
    ...puts.map((line) => `+${line}`),
  ];
  const move = call.to === undefined ? "" : `*** Move to: ${call.to.slice(ROOT.length + 1)}\n`;
  const asked = `*** Update File: ${name}\n${move}@@\n${hunk.join("\n")}`;
  const found = lines.findIndex(
    (_, i) => i + wanted.length <= lines.length && wanted.every((line, n) => lines[i + n] === line),
  );
  if (found === -1 || wanted.length === 0 || was.includes("\r")) return { asked, after: was, change: null };
  const made = [...lines.slice(0, found + kept.length), ...puts, ...lines.slice(found + wanted.length)];
  const isLast = found + wanted.length >= lines.length && !was.endsWith("\n");
  const diff = `@@ -${found + 1},${wanted.length} +${found + 1},${kept.length + puts.length} @@\n${hunk.join("\n")}\n${isLast ? "\\ No newline at end of file\n" : ""}`;
  return {
    asked,
    after: `${made.join("\n")}\n`,
    change: { type: "update", unified_diff: diff, move_path: call.to ?? null },
  };
}

export class OpencodeScribe implements Scribe {
  readonly agent = "opencode";
  readonly #messages: Line[] = [];
  readonly #parts: Line[] = [];
  call(tree: Tree, call: ScriptedCall, fate: Fate): void {
    const n = this.#parts.length + 1;
    const was = tree.get(call.path);
    const [tool, input] = this.#asked(call);
    const after = done("opencode", tree, call, fate);
    const span = { start: TIME + n * 1000, end: TIME + n * 1000 + 500 };
    const metadata =
      call.what === "write"
        ? { filepath: call.path, exists: was !== undefined }
        : call.what === "read"
          ? { display: this.#display(call.path, after ?? "") }
          : call.what === "shell"
            ? { exit: 0 }
            : {};
    const ended =
      after === null
        ? { status: "error", input, error: "oldString not found in content", time: span }
        : { status: "completed", input, output: "", metadata, time: span };
    const state = fate === "ended" ? ended : { status: "running", input, time: { start: span.start } };
    const id = String(n).padStart(6, "0");
    const row = { session_id: "ses_1", time_created: TIME + n, time_updated: TIME + n };
    this.#messages.push({
      id: `msg_${id}`,
      ...row,
      data: { role: "assistant", time: { created: TIME + n }, modelID: "m" },
    });
    this.#parts.push({
      id: `prt_${id}`,
      message_id: `msg_${id}`,
      ...row,
      data: { type: "tool", tool, callID: `call_${id}`, state },
    });
  }
  #asked({ what, path: filePath, after, replace, command }: ScriptedCall): [string, Line] {
    switch (what) {
      case "write":
        return ["write", { filePath, content: after }];
      case "read":
        return ["read", { filePath }];
      case "shell":
        return ["bash", { command }];
      default:
        return [
          "edit",
          { filePath, oldString: replace?.old, newString: replace?.put, replaceAll: replace?.isEverywhere },
        ];
    }
  }
  #display(path: string, text: string): Line {
    const lines = lossy(text).replace(/\n$/, "");
    return {
      type: "file",
      path,
      text: lines,
      lineStart: 1,
      lineEnd: lines.split("\n").length,
      totalLines: lines.split("\n").length,
      truncated: false,
    };
  }
  finish(folder: string): string {
    const path = join(folder, "opencode.db");
    const session = {
      id: "ses_1",
      directory: ROOT,
      version: "1.18.33",
      model: null,
      revert: null,
      parent_id: null,
      time_created: TIME,
      time_updated: TIME,
    };
    makeDatabase(path, {
      project: { sql: "CREATE TABLE project (id text PRIMARY KEY, worktree text)", rows: [] },
      session: {
        sql: "CREATE TABLE session (id text PRIMARY KEY, directory text, version text, model text, revert text, parent_id text, time_created integer, time_updated integer)",
        rows: [session],
      },
      message: {
        sql: "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text)",
        rows: this.#messages as never,
      },
      part: {
        sql: "CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text)",
        rows: this.#parts as never,
      },
    });
    return path;
  }
}

// A session of pi as a file, as large as asked for: answers with calls and results. `outputs`: bytes of the tools' outputs, in turn.
import { closeSync, openSync, writeSync } from "node:fs";
import { incompressibleText } from "./raw.mjs";

/** Of all sizes: most are short, some are files. */
export const ALL_SIZES = {
  said: 300,
  outputs: [80, 200, 400, 800, 1500, 3000, 6000, 12_000, 40_000, 100_000],
};
/** As short as records are: what each of them costs is all it costs. */
export const SHORT = { said: 20, outputs: [20] };

const BUFFERED = 1 << 20;

export function makeTranscript(path, bytes, { said, outputs }) {
  const fd = openSync(path, "wx");
  const text = incompressibleText(Math.max(said, ...outputs));
  const made = { written: 0, lines: 0 };
  let last = null;
  let held = "";
  const write = (record) => {
    const line = `${JSON.stringify(record)}\n`;
    made.lines += 1;
    made.written += line.length;
    held += line;
    if (held.length < BUFFERED) return;
    writeSync(fd, held);
    held = "";
  };
  const timestamp = "2026-11-15T02:29:08.375Z";
  const entry = (message) => {
    const id = made.lines.toString(16).padStart(8, "0");
    write({ type: "message", id, parentId: last, timestamp, message });
    last = id;
  };
  const session = "01a1dd09-78da-74bd-88a1-bda2f5c0c3e0";
  write({ type: "session", version: 3, id: session, timestamp, cwd: "/srv/repo" });
  entry({ role: "user", content: [{ type: "text", text: "do the work" }] });
  for (let n = 0; made.written < bytes; n++) {
    const id = `call_${n}`;
    const call = { type: "toolCall", id, name: "bash", arguments: { command: `make step-${n}` } };
    const content = [{ type: "text", text: `Step ${n}: "${text.slice(0, said)}"\n` }, call];
    const usage = { input: 10, output: 10, cost: { total: 0 } };
    entry({ role: "assistant", content, usage, stopReason: "toolUse" });
    const output = text.slice(0, outputs[n % outputs.length]).replaceAll("a", "\n");
    entry({
      role: "toolResult",
      toolCallId: id,
      toolName: "bash",
      content: [{ type: "text", text: output }],
    });
  }
  entry({ role: "assistant", content: [{ type: "text", text: "Done." }], stopReason: "stop" });
  writeSync(fd, held);
  closeSync(fd);
  return { ...made, session };
}

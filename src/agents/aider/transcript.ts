/**
 * Aider's history: markdown that is added to, all sessions of a repository one after the other; the last one is read. `####` is the person, `>` is
 * Aider's program, everything else the model. It has no ids and no calls: what Aider did is in git, a commit for each edit.
 */
import { dirname } from "node:path";
import type { DocumentFormat } from "../words/adapter.ts";
import type { Heard, HeardMessage } from "../words/heard.ts";
import { madeId } from "../words/made-id.ts";

const STARTED = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*$/gm;
/** The program's last words on an answer: it has come to its end. */
const ANSWERED = /^> Tokens: /m;
const INTERRUPTED = /\^C KeyboardInterrupt/;
const VERSION = /^> Aider v(\S+)/m;
const MODEL = /^> (?:Main m|M)odel: (\S+)/m;

export const aiderTranscript: DocumentFormat = {
  storage: "document",
  recognizes: (text) => /^\s*# aider chat started at \d{4}-/.test(text),
  read(text, path) {
    const last = [...text.matchAll(STARTED)].at(-1);
    if (last === undefined) return [];
    const [head, began = ""] = last;
    const cwd = path === undefined ? null : dirname(path);
    const nativeId = madeId("aider", began);
    const body = text.slice(last.index + head.length);
    return [
      {
        kind: "session",
        nativeId,
        cwd,
        version: VERSION.exec(body)?.[1] ?? null,
        branch: null,
        model: MODEL.exec(body)?.[1] ?? null,
        // By the clock of its machine, which does not say its zone.
        at: null,
        parent: null,
      },
      ...blocksOf(body).flatMap((block, nth) => heardOf(block, nativeId, nth)),
    ];
  },
};

type Speaker = HeardMessage["from"];
interface Block {
  readonly from: Speaker;
  readonly text: string;
}

/** Lines of one speaker after the other, without their signs. */
function blocksOf(body: string): readonly Block[] {
  const blocks: { from: Speaker; lines: string[] }[] = [];
  for (const line of body.split("\n")) {
    const from = line.startsWith("#### ") ? "person" : /^>(?: |$)/.test(line) ? "machinery" : "agent";
    const last = blocks.at(-1);
    if (last !== undefined && (last.from === from || line.trim() === "")) last.lines.push(line);
    else if (line.trim() !== "") blocks.push({ from, lines: [line] });
  }
  return blocks.map(({ from, lines }) => ({ from, text: lines.join("\n").trimEnd() }));
}

const SIGNS: Readonly<Record<Speaker, RegExp | null>> = {
  person: /^#### /gm,
  machinery: /^> ?/gm,
  agent: null,
};

function heardOf({ from, text }: Block, session: string, nth: number): readonly Heard[] {
  const sign = SIGNS[from];
  const said = sign === null ? text : text.replaceAll(sign, "");
  const message: Heard = {
    kind: "message",
    id: madeId(session, String(nth), from),
    role: from === "agent" ? "assistant" : "user",
    parts: [{ type: "text", text: said }],
    at: null,
    from,
    child: null,
  };
  if (INTERRUPTED.test(text) && from !== "person")
    return [message, { kind: "turn-ended", outcome: "cancelled", proof: "record", at: null }];
  const isOver = from === "machinery" && ANSWERED.test(text);
  return isOver
    ? [message, { kind: "turn-ended", outcome: "completed", proof: "inferred", at: null }]
    : [message];
}

/**
 * Transcripts are untrusted text (T3): lines of real runs with any of their values put in the place of any other, nested deep, named like
 * parts of every object, far too large. Nothing is thrown, and no file is named that no line up to then names.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import type { AgentAdapter, LineReader } from "../../src/agents/words/adapter.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import type { JsonObject } from "../../src/model/json.ts";
import fc from "../support/fast-check.ts";
import { transcriptsOf } from "./hear-fixture.ts";
import { changed, odd } from "./hostile-json.ts";
import { linesOf, STREAMED } from "./stream-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");

const namedBy = (heard: Heard): readonly string[] => {
  if (heard.kind === "call") return [...heard.paths, ...heard.edits.map(({ path }) => path)];
  return heard.kind === "result" ? heard.edits.map(({ path }) => path) : [];
};

/** Every text that stands in the line, or in JSON inside of it. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return `${value}\n`;
  if (value === null || typeof value !== "object") return "";
  return Object.entries(value)
    .map(([key, inside]) => `${key}\n${textsIn(inside)}`)
    .join("");
}

function survives(readers: () => LineReader, lines: readonly JsonObject[]): void {
  const step = fc.record({
    at: fc.nat(),
    path: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
    put: odd,
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const reader = readers();
      let said = "";
      for (const { at, path, put } of steps) {
        const line = changed(lines[at % lines.length], path, put);
        if (line === null || typeof line !== "object" || Array.isArray(line)) continue;
        reader.links(line as JsonObject);
        const heard = reader.read(line as JsonObject);
        said += textsIn(line);
        // A folder and a file of it may be named apart.
        for (const one of heard.flatMap(namedBy)) expect(said).toContain(basename(one));
      }
    }),
    { numRuns: 300 },
  );
}

const casesOf = (agent: AgentAdapter): readonly string[] =>
  readdirSync(join(FIXTURES, agent.name)).map((which) => join(FIXTURES, agent.name, which));

const LINES = AGENTS.flatMap((agent) =>
  agent.transcript.storage === "lines" ? [[agent.name, agent, agent.transcript] as const] : [],
);

describe.each(LINES)("hostile lines of %s's transcripts", (_name, agent, format) => {
  const lines = casesOf(agent).flatMap((home) =>
    transcriptsOf(agent, home).flatMap(({ path }) => linesOf(path)),
  );

  it("are passed over or heard as what they are", () => {
    survives(() => format.reader(), lines);
  });

  it("are nobody's, or somebody's", () => {
    fc.assert(
      fc.property(fc.array(odd), (values) => {
        const objects = values.filter(
          (one) => one !== null && typeof one === "object" && !Array.isArray(one),
        );
        format.recognizes(objects as JsonObject[]);
      }),
    );
  });
});

const STREAMS = AGENTS.flatMap((agent) => {
  const command = STREAMED[agent.name];
  return command === undefined ? [] : [[agent.name, agent, command] as const];
});

describe.each(STREAMS)("hostile lines of %s's live output", (name, agent, command) => {
  it("are passed over or heard as what they are", () => {
    const lines = casesOf(agent).flatMap((home) =>
      readdirSync(home).includes("stdout.jsonl") ? linesOf(join(home, "stdout.jsonl")) : [],
    );
    const stream = (): LineReader => {
      const reader = agent.launch?.stream(command) ?? null;
      if (reader === null) throw new Error(`${name}: no stream`);
      return reader;
    };
    survives(stream, lines);
  });
});

/**
 * What a writer said before it died (writer-ledger.mjs), and what follows from it. The parent reads the
 * ledger from a pipe, so it holds exactly what was said: an `ack` or `done` in it was an acknowledgement.
 */

export type Line =
  | {
      readonly k: "put";
      readonly p: number;
      readonly session: string;
      readonly how: "append" | "take" | "release" | "import" | "forget";
      readonly records: readonly (readonly [id: string, kind: string, hash: string])[];
      /** Sequence numbers whose bodies a `forget` is about to erase. */
      readonly erases?: readonly number[];
    }
  | {
      readonly k: "done";
      readonly p: number;
      readonly seqs: readonly number[] | null;
      readonly repeat: boolean;
    }
  | { readonly k: "refused"; readonly p: number; readonly why: string }
  | { readonly k: "intent"; readonly n: number; readonly op: string; readonly about: Facts }
  | { readonly k: "ack"; readonly n: number; readonly got: Facts | null }
  | { readonly k: "failed"; readonly n: number; readonly code: string | null; readonly message: string }
  | { readonly k: "end" };

export type Facts = Readonly<Record<string, unknown>>;

/** One life of a writer: from its start to its kill, or to its clean end. */
export interface Life {
  readonly number: number;
  readonly lines: readonly Line[];
}

/** A call of the library, with what it gave when it was acknowledged. */
export interface Called {
  readonly op: string;
  readonly about: Facts;
  /** Null: never acknowledged. It may have happened or not. */
  readonly ack: { readonly got: Facts } | null;
}

/** A change handed to the store. */
export interface Put {
  readonly session: string;
  readonly how: Extract<Line, { k: "put" }>["how"];
  readonly records: Extract<Line, { k: "put" }>["records"];
  readonly erases: readonly number[];
  /** The highest sequence number of this session acknowledged before this change was handed over (D3). */
  readonly floor: number;
  readonly done: { readonly seqs: readonly number[] | null; readonly isRepeat: boolean } | null;
}

export function parseLedger(text: string): Line[] {
  // The last line may be torn: it was being said when the writer died.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

export function callsOf(life: Life): Called[] {
  const calls = new Map<number, Called>();
  for (const line of life.lines) {
    if (line.k === "intent") calls.set(line.n, { op: line.op, about: line.about, ack: null });
    const called = line.k === "ack" ? calls.get(line.n) : undefined;
    if (line.k === "ack" && called) calls.set(line.n, { ...called, ack: { got: line.got ?? {} } });
  }
  return [...calls.values()];
}

export function putsOf(life: Life): Put[] {
  const puts = new Map<number, Put>();
  const heads = new Map<string, number>();
  for (const line of life.lines) {
    if (line.k === "put") {
      const { session, how, records, erases = [] } = line;
      puts.set(line.p, { session, how, records, erases, floor: heads.get(session) ?? 0, done: null });
    }
    const put = line.k === "done" ? puts.get(line.p) : undefined;
    if (line.k !== "done" || !put) continue;
    puts.set(line.p, { ...put, done: { seqs: line.seqs, isRepeat: line.repeat } });
    heads.set(put.session, Math.max(heads.get(put.session) ?? 0, ...(line.seqs ?? [])));
  }
  return [...puts.values()];
}

/** Where a kill landed: in the middle of which calls, or between two. */
export interface Landing {
  readonly op: string;
  readonly where: "before its ack" | "after its ack";
}

export function landingOf(lines: readonly Line[]): Landing {
  const open = new Map<number, string>();
  let last = "start";
  for (const line of lines) {
    if (line.k === "intent") {
      open.set(line.n, line.op);
      last = line.op;
    }
    if (line.k === "ack" || line.k === "failed") open.delete(line.n);
  }
  const [inFlight] = [...open.values()].slice(-1);
  return inFlight ? { op: inFlight, where: "before its ack" } : { op: last, where: "after its ack" };
}

/** Operation by operation, how many kills fell before and after its acknowledgement. */
export function histogramOf(landings: readonly Landing[]): string {
  const rows = new Map<string, { before: number; after: number }>();
  for (const { op, where } of landings) {
    const row = rows.get(op) ?? { before: 0, after: 0 };
    rows.set(
      op,
      where === "before its ack" ? { ...row, before: row.before + 1 } : { ...row, after: row.after + 1 },
    );
  }
  return [...rows]
    .toSorted(([, a], [, b]) => b.before + b.after - a.before - a.after)
    .map(
      ([op, { before, after }]) =>
        `  ${op.padEnd(18)} before ack ${String(before).padStart(4)}   after ${after}`,
    )
    .join("\n");
}

export function shareInFlight(landings: readonly Landing[]): number {
  return landings.filter(({ where }) => where === "before its ack").length / Math.max(1, landings.length);
}

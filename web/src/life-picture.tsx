/** A session's life at one glance: its tries, turns and calls as bars, operations, captures, how much was said, and the moment of its death. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OutputRate } from "../../src/app/sessions/output-rate.ts";
import { RECOVERY_LABEL } from "../../src/model/recovery-label.ts";
import { ask } from "./api.ts";
import { LifeDrawing, type LifeMoment, type LifeRow } from "./life-drawing.tsx";
import { panned, type Span, spanOf, zoomed } from "./life-span.ts";
import type { ToldSession } from "./told.ts";
import { clockTime, count, isDead, lasted, ordinal, shownLine } from "./words.ts";

interface LifeProps {
  readonly told: ToldSession;
  readonly rate: OutputRate | null;
}

export function LifePicture({ told, rate }: LifeProps) {
  const rows = rowsOf(told);
  const whole = spanOf(
    rows.flatMap(({ bars, marks }) => [
      ...bars.flatMap(({ from, to }) => [from, to]),
      ...marks.map(({ at }) => at),
    ]),
  );
  const chosen = useSignal<Span | null>(null);
  const span = useComputed(() => chosen.value ?? whole);
  const zoom = (by: number): void => {
    chosen.value = zoomed(whole, span.value, by);
  };
  const move = (by: number): void => {
    chosen.value = panned(whole, span.value, by);
  };
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    ArrowLeft: () => move(-0.2),
    ArrowRight: () => move(0.2),
    "0": () => {
      chosen.value = null;
    },
  };
  const onKey = (event: KeyboardEvent): void => {
    const does = keys[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  };
  return (
    <section class="life" aria-labelledby="life">
      <div class="section-head">
        <h2 id="life">Its life</h2>
        <div class="zoom">
          <button type="button" onClick={() => zoom(0.5)} aria-label="Nearer">
            +
          </button>
          <button type="button" onClick={() => zoom(2)} aria-label="Farther" disabled={chosen.value === null}>
            −
          </button>
          <button type="button" onClick={() => keys["0"]?.()} disabled={chosen.value === null}>
            all
          </button>
        </div>
      </div>
      <section
        class="picture"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved and zoomed by keys.
        tabIndex={0}
        aria-label={`${summaryOf(told)} Plus and minus zoom, arrows move.`}
        onKeyDown={onKey}
      >
        <LifeDrawing
          rows={rows}
          span={span.value}
          began={whole.from}
          moments={momentsOf(told, whole)}
          rate={rate}
          onSpan={(next) => {
            chosen.value = zoomed(whole, next, 1);
          }}
          onWhole={() => keys["0"]?.()}
        />
      </section>
      <p class="legend dim">
        {LEGEND.map(([kind, words]) => (
          <span key={kind} class="legend-item">
            <span class={`key bar-${kind}`} /> {words}
          </span>
        ))}
        {told.left_out ? "· older records are left out of the picture" : ""}
      </p>
    </section>
  );
}

const LEGEND = [
  ["good", "done"],
  ["bad", "failed or cut off"],
  ["unknown", "may have happened"],
  ["now", "running"],
] as const;

/** Asked for once the rest is drawn; of a live one again as it goes on. Null: nothing was said; undefined: that is not known yet. */
export function useRate({ session, head }: ToldSession): OutputRate | null | undefined {
  const rate = useSignal<OutputRate | null | undefined>(undefined);
  const upTo = session.state === "live" ? Math.floor(head / RATE_EVERY_RECORDS) : head;
  useEffect(() => {
    let isOver = false;
    ask<{ readonly rate: OutputRate | null }>(`/api/sessions/${encodeURIComponent(session.id)}/rate`).then(
      (found) => {
        if (!isOver) rate.value = found.rate;
      },
      // The picture says the rest without it.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [session.id, upTo]);
  return rate.value;
}

const RATE_EVERY_RECORDS = 50;

export const recoveriesOf = ({ attempts }: ToldSession): ReadonlySet<number> =>
  new Set(attempts.filter(({ label }) => label === RECOVERY_LABEL).map(({ attempt }) => attempt));

/** K1: to recover a session is an attempt, and nobody tried again by it. */
const triesOf = ({ attempts }: ToldSession): ToldSession["attempts"] =>
  attempts.filter(({ label }) => label !== RECOVERY_LABEL);

function summaryOf(told: ToldSession): string {
  const { turns, calls, captures } = told;
  const cut = calls.filter(({ status }) => status === "unknown-outcome" || status === "interrupted").length;
  const open = cut > 0 ? `, ${count(cut, "of them")} cut off` : "";
  return `${count(triesOf(told).length, "try", "tries")}, ${count(turns.length, "turn")}, ${count(calls.length, "call")}${open}, ${count(captures.length, "capture")}.`;
}

const KINDS: Readonly<Record<string, string>> = {
  done: "good",
  completed: "good",
  failed: "bad",
  interrupted: "bad",
  cancelled: "bad",
  "unknown-outcome": "unknown",
};

type ToldCall = ToldSession["calls"][number];

/** A tool that ended well may have run what did not: its output says so. */
const statusOf = ({ status, failed }: ToldCall): string => (failed && status === "done" ? "failed" : status);
const callKind = (call: ToldCall): string =>
  call.synthetic ? "unknown" : call.status === "running" ? "now" : (KINDS[statusOf(call)] ?? "good");
const callWords = (call: ToldCall): string => (call.synthetic ? "may have happened" : statusOf(call));

const ms = (iso: string): number => Date.parse(iso);

/** Where nobody said that it ended: when it was last heard of. */
const deathOf = (told: ToldSession): number | null => (isDead(told.session) ? endedAt(told) : null);

/** What is drawn across all of it; a suspension that came later stands at the end, with its own time. */
function momentsOf(told: ToldSession, whole: Span): readonly LifeMoment[] {
  const died = deathOf(told);
  const isSuspended = told.session.state === "suspended";
  const held = isSuspended ? told.notes.findLast(({ kind }) => kind === "session.suspended") : undefined;
  return [
    ...(died === null
      ? []
      : [{ at: died, kind: "death" as const, words: `✕ it ended here, ${timeOf(died)}` }]),
    ...(held === undefined
      ? []
      : [
          {
            at: Math.min(ms(held.at), whole.to),
            kind: "held" as const,
            words: `suspended at ${clockTime(held.at)}`,
          },
        ]),
  ];
}

const timeOf = (at: number): string => clockTime(new Date(at).toISOString());

function endedAt({ session, calls, turns }: ToldSession): number | null {
  if (session.ended_at !== null) return ms(session.ended_at);
  const heard = [...calls, ...turns].flatMap(({ started_at, ended_at }) => [
    ms(started_at),
    ...(ended_at ? [ms(ended_at)] : []),
  ]);
  return heard.length > 0 ? Math.max(...heard) : null;
}

function rowsOf(told: ToldSession): readonly LifeRow[] {
  const { turns, calls, operations, captures, session } = told;
  const attempts = triesOf(told);
  const end = session.state === "live" ? Date.now() : (endedAt(told) ?? ms(session.started_at ?? ""));
  const until = (iso: string | null, from: string): number =>
    Math.max(ms(from), iso === null ? end || ms(from) : ms(iso));
  const isLive = session.state === "live";
  const last = Math.max(...attempts.map(({ attempt }) => attempt));
  // Whoever found it dead gave it back in its name: that is no end of its own.
  const tryKind = ({ attempt, ended_at }: ToldSession["attempts"][number]): string => {
    if (isLive && ended_at === null) return "now";
    return ended_at === null || (attempt === last && deathOf(told) !== null) ? "bad" : "good";
  };
  return [
    {
      name: "tries",
      bars: attempts.map((one) => ({
        from: ms(one.at),
        to: until(one.ended_at, one.at),
        of: {
          key: `a${one.attempt}`,
          seq: null,
          kind: tryKind(one),
          title: `${ordinal(one.attempt)} try, from ${clockTime(one.at)}${one.ended_at ? "" : isLive ? ", at work" : ", ended without saying so"}`,
        },
      })),
      marks: [],
    },
    {
      name: "turns",
      bars: turns.map((one) => ({
        from: ms(one.started_at),
        to: until(one.ended_at, one.started_at),
        of: {
          key: `t${one.id}`,
          seq: one.seq,
          kind: one.outcome === null ? (isLive ? "now" : "bad") : (KINDS[one.outcome] ?? "bad"),
          title: `turn, ${one.outcome ?? (isLive ? "going on" : "cut off")}: ${shownLine((one.input ?? "").slice(0, 120))}`,
        },
      })),
      marks: [],
    },
    {
      name: "calls",
      bars: calls.map((one) => ({
        from: ms(one.started_at),
        to: until(one.ended_at, one.started_at),
        of: {
          key: `c${one.id}`,
          seq: one.seq,
          kind: callKind(one),
          title: `${shownLine(one.tool)}, ${callWords(one)}, ${lasted(until(one.ended_at, one.started_at) - ms(one.started_at))}: ${shownLine(one.input.slice(0, 160))}`,
        },
      })),
      marks: [],
    },
    {
      name: "operations",
      bars: operations.map((one) => ({
        from: ms(one.at),
        to: until(one.ended_at, one.at),
        of: {
          key: `o${one.id}`,
          seq: one.seq,
          kind: one.state === "ended" ? "good" : one.state === "open" && isLive ? "now" : "bad",
          title: `operation ${shownLine(one.label)}: ${one.state === "open" ? (isLive ? "going on" : "never ended") : one.state}`,
        },
      })),
      marks: [],
    },
    {
      name: "captures",
      bars: [],
      marks: captures.map((one) => ({
        key: `k${one.seq}`,
        at: ms(one.at),
        kind: one.partial ? "unknown" : "plain",
        title: `the tree was held at ${clockTime(one.at)} (${shownLine(one.reason)})${one.partial ? ", in part" : ""}`,
      })),
    },
  ];
}

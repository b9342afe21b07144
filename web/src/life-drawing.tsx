/** A life as it is drawn: bars and marks on a stretch of time, what was said below them, and what the pointer is over. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { OutputRate } from "../../src/app/sessions/output-rate.ts";
import { wantedRecord } from "./conversation.tsx";
import { laneOut, placeOf, ratePath, type Span, ticksOf, timeAt } from "./life-span.ts";
import { clockTime, count, lasted } from "./words.ts";

const [LABEL, LANE, GAP] = [80, 14, 3];
/** Before it is known how wide it is. */
const FIRST_WIDTH = 1000;
/** For a time and some room around it. */
const TICK_WIDTH = 130;
const MAX_LANES = 8;

export interface LifeMark {
  readonly key: string;
  readonly at: number;
  readonly title: string;
  readonly kind: string;
}

export interface LifeBar extends Span {
  readonly of: {
    readonly key: string;
    readonly title: string;
    readonly kind: string;
    /** Its record; null: it has none. */
    readonly seq: number | null;
  };
}

export interface LifeRow {
  readonly name: string;
  readonly bars: readonly LifeBar[];
  readonly marks: readonly LifeMark[];
}

/** A line across all rows. */
export interface LifeMoment {
  readonly at: number;
  readonly kind: "death" | "held";
  readonly words: string;
}

interface DrawingProps {
  readonly rows: readonly LifeRow[];
  readonly span: Span;
  /** When it began: the times of a short life are counted from there. */
  readonly began: number;
  readonly moments: readonly LifeMoment[];
  readonly rate: OutputRate | null;
  readonly onSpan: (span: Span) => void;
  readonly onWhole: () => void;
}

const RATE_HEIGHT = 34;
/** Of two at one time both are read. */
const MOMENT_LINE = 14;
/** Beside the last bar. */
const RIGHT = 10;

/** What the pointer is over: the time, what is there, and where a stretch was begun. */
interface Pointed {
  readonly x: number;
  readonly title: string | null;
  readonly since: number | null;
}

export function LifeDrawing({ rows, span, began, moments, rate, onSpan, onWhole }: DrawingProps) {
  const pointed = useSignal<Pointed | null>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const width = useWidth(drawing);
  const room = width - LABEL - RIGHT;
  const x = (at: number): number => LABEL + placeOf(span, at) * room;
  const { drawn, bottom } = layOut(rows, span, rate !== null);
  const onMove = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.max(LABEL, Math.min(width - RIGHT, ((event.clientX - box.left) / box.width) * width));
    const title = (event.target as Element).getAttribute("data-title");
    pointed.value = { x: at, title, since: pointed.value?.since ?? null };
  };
  const timeOf = (px: number): number => timeAt(span, (px - LABEL) / room);
  const onUp = (): void => {
    const { since = null, x: to = 0 } = pointed.value ?? {};
    if (pointed.value) pointed.value = { ...pointed.value, since: null };
    if (since !== null && Math.abs(to - since) > LEAST_DRAG)
      onSpan({ from: timeOf(Math.min(since, to)), to: timeOf(Math.max(since, to)) });
  };
  const now = pointed.value;
  return (
    <>
      <svg
        ref={drawing}
        viewBox={`0 0 ${width} ${bottom + 20}`}
        class="life-svg"
        aria-hidden="true"
        onPointerMove={onMove}
        onPointerDown={(event) => {
          if (event.pointerType === "mouse" && event.button === 0 && pointed.value)
            pointed.value = { ...pointed.value, since: pointed.value.x };
        }}
        onPointerUp={onUp}
        onPointerLeave={() => {
          pointed.value = null;
        }}
        onDblClick={onWhole}
      >
        {now && now.since !== null ? (
          <rect
            class="stretch"
            x={Math.min(now.since, now.x)}
            y={0}
            width={Math.abs(now.x - now.since)}
            height={bottom}
          />
        ) : null}
        {ticksFrom(span, began, Math.max(2, Math.floor(room / TICK_WIDTH))).map((at) => (
          <g key={at}>
            <line x1={x(at)} x2={x(at)} y1={0} y2={bottom} class="tick" />
            <text
              x={x(at)}
              y={bottom + 14}
              class="tick-text"
              text-anchor={x(at) > width - 40 ? "end" : "middle"}
            >
              {tickTime(at, span, began)}
            </text>
          </g>
        ))}
        {drawn.map((row) => (
          <DrawnRow key={row.name} row={row} span={span} x={x} width={width} />
        ))}
        {rate !== null ? (
          <g>
            <text x={LABEL - 10} y={bottom - 14} class="row-text" text-anchor="end">
              output
            </text>
            <path
              class="rate"
              d={ratePath(rate, span, { left: LABEL, width: room, base: bottom - 6, height: RATE_HEIGHT })}
            />
          </g>
        ) : null}
        {moments
          .filter(({ at }) => at >= span.from && at <= span.to)
          .map(({ at, kind, words }, n) => (
            <g key={kind} class={`moment moment-${kind}`}>
              <line x1={x(at)} x2={x(at)} y1={0} y2={bottom} />
              <text
                x={x(at) > width / 2 ? x(at) - 6 : x(at) + 6}
                y={bottom - 4 - n * MOMENT_LINE}
                text-anchor={x(at) > width / 2 ? "end" : "start"}
              >
                {words}
              </text>
            </g>
          ))}
        {now ? <line class="pointer" x1={now.x} x2={now.x} y1={0} y2={bottom} /> : null}
      </svg>
      <p class="readout dim">
        {now === null
          ? "Point at a bar to read it, drag over a stretch to look nearer, click a bar to see it below."
          : `${clockTime(new Date(timeOf(now.x)).toISOString())}${now.title === null ? "" : ` · ${now.title}`}${rateWords(rate, timeOf(now.x))}`}
      </p>
    </>
  );
}

/** As wide as there is room for, in pixels: on a phone its words are as large as everywhere. */
function useWidth(of: RefObject<SVGSVGElement | null>): number {
  const width = useSignal(FIRST_WIDTH);
  useEffect(() => {
    const { current: element } = of;
    if (!element) return;
    const read = (): void => {
      if (element.clientWidth > 0) width.value = element.clientWidth;
    };
    read();
    const watcher = new ResizeObserver(read);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return width.value;
}

const isShort = ({ from, to }: Span): boolean => to - from < SHORT_LIFE_MS;

/** A short life has several ticks in a second: they are counted from its beginning. */
const tickTime = (at: number, span: Span, began: number): string =>
  isShort(span) ? `+${((at - began) / 1000).toFixed(1)} s` : clockTime(new Date(at).toISOString());

const ticksFrom = (span: Span, began: number, about: number): number[] =>
  isShort(span)
    ? ticksOf({ from: span.from - began, to: span.to - began }, about).map((at) => began + at)
    : ticksOf(span, about);

/** Ticks of about a second, or less. */
const SHORT_LIFE_MS = 7000;

/** In units of the drawing: less is a click. */
const LEAST_DRAG = 6;

function rateWords(rate: OutputRate | null, at: number): string {
  if (rate === null) return "";
  const [from, to] = [Date.parse(rate.from), Date.parse(rate.to)];
  if (at < from || at > to || to === from) return "";
  const each = (to - from) / rate.chars.length;
  const chars = rate.chars[Math.min(rate.chars.length - 1, Math.floor((at - from) / each))] ?? 0;
  return chars === 0 ? "" : ` · ${count(chars, "character")} said within ${lasted(each)}`;
}

interface LaidRow extends LifeRow {
  readonly laid: ReturnType<typeof laneOut<LifeBar["of"]>>;
  readonly top: number;
  readonly height: number;
}

function layOut(
  rows: readonly LifeRow[],
  span: Span,
  hasRate: boolean,
): { drawn: readonly LaidRow[]; bottom: number } {
  const isIn = (bar: Span): boolean => bar.to >= span.from && bar.from <= span.to;
  let y = 6;
  const drawn = rows
    .filter(({ bars, marks }) => bars.length + marks.length > 0)
    .map((row) => {
      const laid = laneOut(row.bars, MAX_LANES);
      const lanes = Math.max(1, ...laid.map(({ lane }) => lane + 1));
      const top = y;
      y += lanes * (LANE + GAP) + 8;
      return { ...row, laid: laid.filter(isIn), top, height: lanes * (LANE + GAP) };
    });
  return { drawn, bottom: y + 4 + (hasRate ? RATE_HEIGHT + 10 : 0) };
}

interface RowProps {
  readonly row: LaidRow;
  readonly span: Span;
  readonly x: (at: number) => number;
  readonly width: number;
}

function DrawnRow({ row: { name, laid, marks, top, height }, span, x, width }: RowProps) {
  return (
    <g>
      <text x={LABEL - 10} y={top + 11} class="row-text" text-anchor="end">
        {name}
      </text>
      <line x1={LABEL} x2={width} y1={top + height + 3} y2={top + height + 3} class="row-line" />
      {laid.map(({ from, to, lane, of }) => {
        const left = Math.max(LABEL, x(from));
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the conversation below has every record, by keys too.
          <rect
            key={of.key}
            class={`bar bar-${of.kind}`}
            x={left}
            y={top + lane * (LANE + GAP)}
            width={Math.max(2.5, Math.min(width, x(to)) - left)}
            height={LANE}
            rx={3}
            data-title={of.title}
            onClick={() => {
              if (of.seq !== null) wantedRecord.value = of.seq;
            }}
          />
        );
      })}
      {marks
        .filter(({ at }) => at >= span.from && at <= span.to)
        .map(({ key, at, kind, title }) => (
          <circle
            key={key}
            class={`mark mark-${kind}`}
            cx={x(at)}
            cy={top + LANE / 2}
            r={5}
            data-title={title}
          />
        ))}
    </g>
  );
}

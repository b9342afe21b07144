/**
 * A notice that is written ahead, so that the recorder only prints it (DESIGN 9): a file among the marks of the workspace's top, as text
 * that a shell reads line by line.
 *
 *   refloat-notice 1
 *   about SESSION ATTEMPT
 *   until 1763310000             seconds since 1970: nobody who starts an agent later is still in the middle of it
 *   file /srv/app/.git/HEAD      a file of git's and its first line: where that is another one by now, this is not true any more
 *   is ref: refs/heads/main
 *   text
 *   ...
 *
 * Who has told it says so in its place (`refloat-notice told`), so that nobody writes it a second time. Pure but for `keptNotice`.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMarksOf } from "./open-marks.ts";

const FIRST = "refloat-notice 1";
const TOLD = "refloat-notice told";
/** Notices have eight lines (DESIGN 9); a file over this was not written by us (T5). */
const MAX_NOTICE_BYTES = 64 * 1024;

export const NOTICE_NAME = ".due.notice!";
export const noticeFileOf = (home: string, root: string): string =>
  join(openMarksOf(home), root, NOTICE_NAME);

export interface FileLine {
  readonly file: string;
  /** Empty: there is none, or it is empty. */
  readonly line: string;
}

export interface NoticeAbout {
  readonly session: string;
  readonly attempt: number;
}

export interface WrittenNotice {
  readonly about: NoticeAbout;
  readonly untilMs: number;
  readonly trueOf: readonly FileLine[];
  readonly text: string;
}

export type KeptNotice =
  | ({ readonly kind: "due" } & WrittenNotice)
  | { readonly kind: "told"; readonly about: NoticeAbout };

/** Null: it cannot be written so that a shell reads the same. */
export function printNotice({ about, untilMs, trueOf, text }: WrittenNotice): string | null {
  const head = [
    FIRST,
    `about ${about.session} ${about.attempt}`,
    `until ${Math.floor(untilMs / 1000)}`,
    ...trueOf.flatMap(({ file, line }) => [`file ${file}`, `is ${line}`]),
  ];
  return head.some((line) => line.includes("\n")) ? null : `${[...head, "text"].join("\n")}\n${text}`;
}

/** Null: it is none, or of a form that nobody here writes. */
export function parseNotice(content: string): KeptNotice | null {
  const [first, ...rest] = content.split("\n");
  const at = rest.indexOf("text");
  const lines = at === -1 ? rest : rest.slice(0, at);
  const about = aboutIn(fieldIn(lines, "about") ?? "");
  if (about === null) return null;
  if (first === TOLD) return { kind: "told", about };
  const until = Number(fieldIn(lines, "until"));
  if (first !== FIRST || at === -1 || !Number.isSafeInteger(until)) return null;
  const trueOf = lines.flatMap((line, which) =>
    line.startsWith("file ") ? [{ file: line.slice(5), line: (lines[which + 1] ?? "").slice(3) }] : [],
  );
  return { kind: "due", about, untilMs: until * 1000, trueOf, text: rest.slice(at + 1).join("\n") };
}

/** `SESSION ATTEMPT`, as the recorder hands it on with its event. */
export function aboutIn(value: string): NoticeAbout | null {
  const [, session, attempt] = /^([A-Za-z0-9._-]{1,128}) (\d{1,9})$/.exec(value) ?? [];
  return session === undefined ? null : { session, attempt: Number(attempt) };
}

const fieldIn = (lines: readonly string[], key: string): string | null =>
  lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;

/** Null: nothing of ours is there. A link leads elsewhere and is not followed (W3). */
export function keptNotice(path: string): KeptNotice | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > MAX_NOTICE_BYTES) return null;
  return parseNotice(readFileSync(path, "utf8"));
}

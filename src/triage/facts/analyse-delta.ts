/** The difference between two contents of one path, as far as rules ask. */
import { diffLines, linesOf } from "../../text/diff-lines.ts";
import { redact, withoutOwnTokens } from "../../text/redact.ts";
import { redactBeginnings } from "../../text/redact-part.ts";
import { languageOfFile, textOf } from "./analyse-file.ts";
import type { Delta } from "./known/file-facts.ts";
import { isLight, MAX_PARSE_BYTES } from "./parse/parse-room.ts";
import { NOT_DONE } from "./parse/script-stubs.ts";
import { CHECKED_LANGUAGES, languageOf, type Nature, natureOf } from "./paths/languages.ts";
import { isBlockAtEnd, isLastLineEdited } from "./text/ends.ts";
import { bodyOf, danglingIn, isLastDefinitionKept, isLastSectionKept } from "./text/markdown-ends.ts";
import { markersIn } from "./text/markers.ts";
import { workflowRecordIn } from "./text/workflow-record.ts";

/** What people and models leave where work is still to be done, on a line of its own. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\b(?:TODO|FIXME|XXX|WIP|TBD)\b\W*$/,
  /\b(?:TODO|FIXME|XXX|WIP|TBD)\b.{0,20}\b(?:implement|finish|complete|write|fill|stub|rest|body|logic)/i,
  /(?:rest|remainder) of (?:the |this )?(?:\w+ )?(?:code|file|function|class|implementation|content)/i,
  /(?:existing|previous|original|other|remaining) (?:code|content|functions?|methods?|tests?) (?:here|stays?|remains?|unchanged|goes|as before|omitted)/i,
  /(?:implement|fill|finish|complete) (?:me|this|later)\b/i,
  /\b(?:unimplemented|todo)!\s*\(|NotImplemented(?:Error|Exception)/,
];
/** In source only: in prose it shows that an example goes on. */
const ELLIPSIS = /(?:\/\/|#|\/\*|--|;)\s*(?:\.{3}|…)/;
const MAX_LISTED = 20;
/** Of a line that says so: enough to find it by. */
const MAX_PLACEHOLDER_CHARS = 80;
/** Source in longer lines was made by a program: what it says there is what the program is about. */
const MAX_WRITTEN_CHARS = 1000;
/** Lines of a diff looked at for secrets; a larger one is data, and its beginning is looked at. */
const MAX_SECRET_CHARS = 256 * 1024;

export async function analyseDelta(
  path: string,
  before: Uint8Array | null,
  after: Uint8Array,
  { isAlone }: { readonly isAlone: boolean },
): Promise<Delta | null> {
  const both = before ? [before, after] : [after];
  if (both.some(({ length }) => length > MAX_PARSE_BYTES)) return null;
  if (!isAlone && !both.every((bytes) => isLight(languageOfFile(path, bytes), bytes))) return null;
  const [old, fresh] = [before ? textOf(before) : "", textOf(after)];
  if (old === null || fresh === null) return null;
  // Other line ends are no other lines.
  const [oldLines, freshLines] = [plainLines(old), plainLines(fresh)];
  const lines = diffLines(oldLines, freshLines);
  const language = languageOf(path);
  const isMarkdown = /\.(?:md|markdown)$/i.test(path);
  const [oldBody, freshBody] = isMarkdown ? [bodyOf(oldLines), bodyOf(freshLines)] : [oldLines, freshLines];
  const body = isMarkdown ? diffLines(oldBody, freshBody) : lines;
  const added = lines.flatMap(({ kind, text, to }) =>
    kind === "new" && to !== null ? [{ text, line: to }] : [],
  );
  const isAppend = fresh.length >= old.length && fresh.startsWith(old) && (old === "" || old.endsWith("\n"));
  return {
    gone: lines.filter(({ kind }) => kind === "gone").length,
    added: added.length,
    linesBefore: oldLines.length,
    isAppend,
    atEnd: endOf(body),
    isEndKept:
      !CHECKED_LANGUAGES.has(language) &&
      (isLastLineEdited(oldBody, freshBody, { isWhole: fresh.endsWith("\n") }) ||
        isBlockAtEnd(body) ||
        (isMarkdown &&
          (isLastSectionKept(oldBody, freshBody) || isLastDefinitionKept(oldLines, freshLines)))),
    dangling: isMarkdown ? danglingIn(old, fresh) : [],
    placeholders: await placeholdersIn(added, natureOf(language)),
    secrets: await secretsIn(workflowRecordIn(path, fresh) ? added.map(withoutTokens) : added),
    markers: isAppend ? markersIn(fresh.slice(old.length)) : [],
  };
}

/** Other line ends are no other lines. */
const plainLines = (text: string): string[] => linesOf(text.replaceAll("\r\n", "\n"));

interface AddedLine {
  readonly text: string;
  readonly line: number;
}

const withoutTokens = ({ text, line }: AddedLine): AddedLine => ({ text: withoutOwnTokens(text), line });

function endOf(lines: readonly { readonly kind: string }[]): Delta["atEnd"] {
  const counts = { gone: 0, added: 0 };
  for (let at = lines.length - 1; at >= 0; at--) {
    const kind = lines[at]?.kind;
    if (kind === "same") break;
    if (kind === "gone") counts.gone++;
    else counts.added++;
  }
  return counts;
}

/** The lines are shown as evidence: without secrets, which are looked for before a line is cut (T4). */
async function placeholdersIn(added: readonly AddedLine[], nature: Nature): Promise<string[]> {
  const patterns = nature === "source" ? [...PLACEHOLDERS, ELLIPSIS] : PLACEHOLDERS;
  const found = added
    .filter(({ text }) => nature !== "source" || text.length <= MAX_WRITTEN_CHARS)
    .filter(({ text }) => patterns.some((pattern) => pattern.test(text)) || isThrownStub(text))
    .slice(0, MAX_LISTED);
  const shown = await redactBeginnings(
    found.map(({ text }) => ({ text: text.trim(), chars: MAX_PLACEHOLDER_CHARS })),
  );
  return found.map(({ line }, at) => `line ${line}: ${shown[at]?.text ?? ""}`);
}

const isThrownStub = (text: string): boolean => /\b(?:throw|raise|panic)\b/.test(text) && NOT_DONE.test(text);

/** Where, and by which rule; never what (T4). */
async function secretsIn(added: readonly AddedLine[]): Promise<string[]> {
  const text = added
    .map((one) => one.text)
    .join("\n")
    .slice(0, MAX_SECRET_CHARS);
  if (text === "") return [];
  const { found } = await redact(text);
  return found.slice(0, MAX_LISTED).map(({ rule, start }) => {
    const at = text.slice(0, start).split("\n").length - 1;
    return `line ${added[at]?.line ?? 0}: ${rule}`;
  });
}

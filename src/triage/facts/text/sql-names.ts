/** Names of tables and columns in the SQL that stands in a source's texts. Whoever is no SQL gives none. */

const BEGUN = /(["'`])\s*(?:SELECT|INSERT|UPDATE|DELETE|ALTER|CREATE|WITH)\s/gi;
/** Asked of the whole text, so that `select an option` is none. */
const STATEMENT =
  /^\s*(?:SELECT\s[\s\S]*?\bFROM\s+[\w."[{]|INSERT\s+(?:OR\s+\w+\s+)?INTO\s+[\w."[{]|UPDATE\s+(?:ONLY\s+)?[\w."[\]{}]+\s+SET\s|DELETE\s+FROM\s+[\w."[{]|ALTER\s+TABLE\s|CREATE\s+TABLE\s|WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\s*\()/i;
const MAX_STATEMENT_CHARS = 6000;
const MIN_NAME_CHARS = 3;

export function sqlNamesIn(text: string): string[] {
  const names = new Set<string>();
  for (const { index, 1: quote = '"' } of text.matchAll(BEGUN)) {
    const fence = quote.repeat(text.slice(index - 2, index) === quote.repeat(2) ? 3 : 1);
    const end = text.indexOf(fence, index + 1);
    const most = index + 1 + MAX_STATEMENT_CHARS;
    const statement = text.slice(index + 1, end === -1 ? most : Math.min(end, most));
    if (STATEMENT.test(statement)) for (const name of namesOf(statement)) names.add(name);
  }
  for (const [, ticked, quoted] of text.matchAll(PIECE)) names.add((ticked ?? quoted ?? "").toLowerCase());
  return [...names].sort();
}

/** A column alone, in marks of SQL inside of quotes: statements are put together of these. */
const PIECE = /"`(\w{3,60})`"|'"(\w{3,60})"'/g;

/** Values, what is put in, comments. */
const PUT_IN = /'(?:[^'\n]|'')*'|\$\{[^}]*\}|\{[^}]*\}|%\(\w+\)s|(?<![:\w]):\w+|[@$]\w+|--[^\n]*|\\[nt]/g;
/** Who is called only here: `x AS y`, `WITH x AS (`, `FROM table x`. */
const ALIASES =
  /\bAS\s+(\w+)|\bWITH\s+(?:RECURSIVE\s+)?(\w+)|,\s*(\w+)\s+AS\s*\(|\b(?:FROM|JOIN|UPDATE)\s+[\w.]+\s+(?:AS\s+)?(?!(?:SET|WHERE|ON|LEFT|RIGHT|INNER|CROSS|JOIN|ORDER|GROUP|LIMIT|FULL|USING)\b)(\w+)/gi;
const WORD = /[A-Za-z_]\w*(?=\s*(\()?)/g;

function namesOf(statement: string): string[] {
  const sql = statement.replace(PUT_IN, " ");
  const aliases = new Set(
    [...sql.matchAll(ALIASES)].flatMap((found) => found.slice(1).map((name) => name?.toLowerCase())),
  );
  const tables = new Set([...sql.matchAll(/\bINTO\s+(\w+)/gi)].map(([, name = ""]) => name.toLowerCase()));
  return [...sql.matchAll(WORD)].flatMap(([word, call]) => {
    const name = word.toLowerCase();
    if (name.length < MIN_NAME_CHARS || KEYWORDS.has(name) || aliases.has(name)) return [];
    return call === undefined || tables.has(name) ? [name] : [];
  });
}

const KEYWORDS = new Set(
  "abort action add after all alter always analyze and any array asc autoincrement before begin bigint between blob bool boolean both bytea case cascade cast char check collate column commit concurrently conflict constraint create cross current current_date current_time current_timestamp current_user date datetime day decimal default deferrable deferred delete desc distinct double drop each else end escape except excluded exclude exclusive exists explain extract fail false filter first following for foreign from full generated glob group groups having hour if ignore ilike immediate in index indexed inner insert instead int integer intersect interval into is isnull join json jsonb key last lateral leading left like limit local lock locked match materialized minute month natural new not nothing notnull null nulls numeric of off offset old on only or order others outer over partition plan pragma precision preceding primary query raise range real recursive references regexp reindex release rename replace restrict returning right rollback row rowid rows savepoint second select serial set share similar skip smallint some strict table temp temporary text then ties time timestamp timestamptz to trailing transaction trigger true truncate unbounded union unique update using uuid vacuum values varchar varying view virtual when where window with within without year zone sqlite_master sqlite_sequence information_schema pg_catalog".split(
    " ",
  ),
);

const OPENING = "([{";
const CLOSING = ")]}";

/** Where what is open at `lineEnd` is closed: the end of that line, or of the one that closes it. */
export function balancedEnd(text: string, from: number, lineEnd: number, most: number): number {
  let depth = 0;
  let end = lineEnd;
  for (let at = from; at < Math.min(text.length, from + most); at++) {
    const char = text[at] ?? "";
    if (OPENING.includes(char)) depth++;
    if (CLOSING.includes(char)) depth = Math.max(0, depth - 1);
    if (at >= lineEnd && depth === 0) {
      const next = text.indexOf("\n", at);
      end = next === -1 ? text.length : next;
      break;
    }
  }
  return end;
}

/**
 * What a source says of a database: declarations of tables and columns, as the mappers of the languages that are followed write them, and names
 * inside of SQL. By text, so that one place serves all of them. Whoever changes a declaration changes a table, and that is a migration's work.
 */
import type { TableFacts } from "../known/file-facts.ts";
import type { Language } from "../paths/languages.ts";
import { balancedEnd, sqlNamesIn } from "./sql-names.ts";

/** Of one file; a schema of more is made by a program. */
const MAX_DECLARED = 400;
const MAX_NAMED = 400;
/** Of one declaration; the end of a longer one is not compared. */
const MAX_SPAN_CHARS = 4000;

/** `m` and `g`; a declaration begins with the line it is found in (a pattern that says so is slow), and goes on to where its brackets close, or to the end of its line. */
const DECLARES: Partial<Record<Language, RegExp>> = {
  // Django, Tortoise; SQLAlchemy, SQLModel.
  python:
    /^[ \t]*(?:class\s+\w+\(.*\b(?:models\.Model|table\s*=\s*True)|(?:__tablename__|__table_args__|db_table|unique_together|index_together|indexes|constraints)\s*=|\w+[ \t]*:[ \t]*(?:\w+\.)?Mapped\[|\w+[ \t]*(?::[^=\n]+)?=[ \t]*(?:(?:\w+\.)*(?:Column|mapped_column)\(|(?:models|fields)\.\w+(?:Field|Key)\(|ParentalKey\(|(?:sa\.|sqlalchemy\.|db\.)?Table\())/gm,
  // Drizzle; TypeORM, MikroORM, sequelize-typescript; Sequelize.
  typescript:
    /(?:\b(?:pg|mysql|sqlite|singlestore|mssql)(?:Table|Enum|View)(?:Creator)?\(|@(?:\w*Column|Entity|Table|ForeignKey\w*|PrimaryKey|ManyToOne|JoinTable)\b|\bDataTypes\.[A-Z]|\bsequelize\.define\()/gm,
  // The mappers that read a struct's tags; ent.
  go: /(?:`[^`]*\b(?:gorm|xorm|bun|db|pg):"|\bfield\.[A-Z]\w*\()/gm,
  // Diesel, SQLx, SeaORM.
  rust: /^[ \t]*(?:(?:diesel::)?table!\s*[({]|#\[(?:cfg_attr\([^\]]*?)?derive\([^\]]*\b(?:Queryable|Insertable|AsChangeset|FromRow|Identifiable|Selectable|DeriveEntityModel)\b[^\]]*\)\])/gm,
  // JPA.
  java: /^[ \t]*@(?:Entity|Table|Column|JoinColumn|JoinTable|CollectionTable|ManyToOne|OneToOne|ManyToMany|Enumerated|Embedded|Id)\b/gm,
};
const ENTITY_FIELD =
  /^[ \t]+(?:private|protected)[ \t]+(?!static)[\w<>.,[\] ]+[ \t]\w+[ \t]*(?:=[^;\n]*)?;/gm;

const DJANGO = /^from django\.db import .*\bmodels\b/m;
const OF_DJANGO = /^[ \t]+\w+[ \t]*=[ \t]*[A-Z]\w*Field\(|^class[ \t]+\w+\([A-Z]\w*/gm;

/** Null: it says nothing of any. */
export function tablesIn(language: Language, text: string): TableFacts | null {
  const script = language === "javascript" ? "typescript" : language;
  const pattern = DECLARES[script];
  if (!pattern) return null;
  const spans = [...text.matchAll(pattern)];
  // Fields and models that a package made for Django are called by their own names.
  if (language === "python" && DJANGO.test(text)) spans.push(...text.matchAll(OF_DJANGO));
  if (language === "java" && /^[ \t]*@Entity\b/m.test(text)) spans.push(...text.matchAll(ENTITY_FIELD));
  const declared: string[] = [];
  const lines: number[] = [];
  const seen = new Set<number>();
  for (const { index: at, 0: found } of spans.slice(0, MAX_DECLARED)) {
    const index = text.lastIndexOf("\n", at) + 1;
    if (seen.has(index)) continue;
    seen.add(index);
    const span = spanAt(text, index, text.slice(index, at + found.length));
    declared.push(span);
    lines.push(text.slice(0, index).split("\n").length);
  }
  const named = sqlNamesIn(text).slice(0, MAX_NAMED);
  return declared.length === 0 && named.length === 0 ? null : { declared, lines, named };
}

/** A derive or a decorator says it of what stands below it. */
const OF_NEXT = /^\s*[#@]/;

function spanAt(text: string, index: number, begun: string): string {
  const line = (at: number): number => {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  };
  let end = balancedEnd(text, index, line(index + begun.length - 1), MAX_SPAN_CHARS);
  // What it is about may be several lines of these below.
  for (let more = 0; OF_NEXT.test(begun) && more < 8; more++) {
    const from = end + 1;
    const next = text.slice(from, line(from));
    if (/^\s*$/.test(next) && from >= text.length) break;
    // A class has much that is no column; its columns say so themselves.
    const isClass = begun.trimStart().startsWith("@") && /\b(?:class|interface)\s/.test(next);
    end = isClass ? line(from) : balancedEnd(text, from, line(from), MAX_SPAN_CHARS);
    if (!/^\s*(?:[#@/*]|$)/.test(next)) break;
  }
  const all = text
    .slice(index, Math.min(end, index + MAX_SPAN_CHARS))
    .replace(/\s+/g, " ")
    .trim();
  return `${nameIn(all)} ${all}`;
}

const OF_TYPE = /\b(?:class|struct|enum)\s+(\w+)/;
const OF_FIELD = /^(?:private|protected)\b.*?(\w+)\s*(?:=[^;]*)?;$/;
const FIRST =
  /^(?:#\[.*?\]\s*|@\w+(?:\(.*?\))?\s*)*(?:export\s+|pub\s+|const\s+|let\s+|readonly\s+|declare\s+)*(\w+)/;

const nameIn = (declaration: string): string =>
  [OF_TYPE, OF_FIELD, FIRST].map((one) => one.exec(declaration)?.[1]).find((name) => name !== undefined) ??
  "?";

/**
 * Is this text a secret somebody wrote down, or a variable, a type, a template, a word? Pure judgement on
 * one value; where to look is the business of the finders.
 */
import { isMasked } from "./redaction-marker.ts";

/** Words that stand where a secret would, in code, schemas and documentation. */
const WORDS: ReadonlySet<string> = new Set(
  `null none nil undefined true false yes no on off string str text number int integer boolean bool bytes any
   unknown object array never void optional required enabled disabled default include omit same-origin inherit
   auto example placeholder redacted hidden masked expired invalid missing empty unset revoked changed
   password passwd secret token apikey credentials function symbol value`.split(/\s+/),
);

/** `$NAME`, `${...}`, `$(...)`, `{{...}}`, `{name}`, `<name>`, `%NAME%`, `%s`, `***`, `xxx`, `...`, `[NAME]`, your-key, process.env. */
const TEMPLATE =
  /^(?:\$\w+$|\$[{(]|\{|<[^>]*>?$|%[A-Za-z_]+%?$|%[({]|@\{|[*x.•…_-]+$|\[[A-Za-z_ -]+\]$|`|your[-_ ]|process\.env|os\.(?:environ|getenv)|import\.meta|secrets\.|vars\.|env\.)/i;
/** A reference to something else: `self.token`, `process.env.X`, `config["x"]`, `getToken(...)`, `&ref`. */
const REFERENCE =
  /^(?:await |new |&|!)?[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)*(?:[([+=]|\?\?|!=|$)/;

/** An address without a password, a path, a constant or its number, `sk-...`, text with a variable in it. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@#-]*(?:[/\\][\w.@#-]*)*$/;
const CONSTANT = /^0x[0-9a-fA-F]{1,8}$|^[A-Z]+(?:_[A-Z]+)+$/;
const HAS_VARIABLE = /\$[{(]|\{\{|^\W*redacted\W*$/i;
const ELIDED = /^.{0,12}(?:\.\.\.|…)$/;
/** What stands behind a quote that closes a string instead of opening one: `log("password:", x)`. */
const BEHIND_QUOTE = /^(?:[,);\]}]|\s*[+\n])/;

/** Is it certainly no secret: nothing, redacted already, a template, a path, a word of the trade? */
export function isPlaceholder(value: string): boolean {
  if (isMasked(value.trim()) || WORDS.has(value.toLowerCase())) return true;
  if (PATH.test(value)) return !looksRandom(value);
  return [TEMPLATE, ADDRESS, CONSTANT, HAS_VARIABLE, ELIDED, BEHIND_QUOTE].some((pattern) =>
    pattern.test(value),
  );
}

/** Does unquoted text read as code: a name, a member, a call, rather than a literal? */
export function readsAsCode(value: string): boolean {
  return REFERENCE.test(value) && (/[.([$+=!?]|::|->/.test(value) || !/\d/.test(value));
}

/** Does it read as a sentence: several words, a capital or a full stop? */
export function readsAsProse(value: string): boolean {
  return (
    /^\p{Lu}?[\p{L}',.!?:;()-]+(?: [\p{L}',.!?:;()-]+)+$/u.test(value) && /^\p{Lu}|[.!?…:]$/u.test(value)
  );
}

/** Letters and digits, or symbols, or letters without end: more than a word. */
export function isMixed(value: string): boolean {
  return (/\d/.test(value) && /[A-Za-z]/.test(value)) || /[^A-Za-z0-9_\s.,-]|^[A-Za-z]{20}/.test(value);
}

/** A secret is longer than this, and shorter than content such as an image in base64. */
const MIN_RANDOM_CHARS = 24;
const MAX_RANDOM_CHARS = 512;
/** 24 random characters of base 62 have 4.2 bits on average, identifiers of that length seldom 3.9. */
const MIN_BITS = 3.9;
/** Random text changes between upper case, lower case and digits about every second character, names do not. */
const MAX_MEAN_PIECE = 3;
/** Without capitals and separators there is less to change between, and hardly an identifier looks so. */
const MAX_MEAN_PIECE_SMALL = 4;
const TOKEN = /^[A-Za-z0-9+/_=-]+$/;
const HEX = /^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** Integrity hashes, and the ids agents and providers give to messages, calls and answers. */
const PUBLIC_PREFIX =
  /^(?:sha(?:1|224|256|384|512)-|(?:toolu|srvtoolu|call|msg|req|resp|chatcmpl|run|thread|step|item|fc|rs|evt|ses|prt|file|batch)[_-]|[a-z]{2,12}_01[A-Za-z0-9]{20})/;
/** PNG, JPEG, GIF, RIFF, SVG, WOFF, PDF and ZIP in base64. */
const CONTENT_PREFIX = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Z|d09GM|JVBERi0|UEsDB)/;

/** Does a value look random: long, even in its characters, and not one of the public things that do, too? */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_CHARS || value.length > MAX_RANDOM_CHARS || !TOKEN.test(value)) return false;
  if (HEX.test(value) || UUID.test(value) || PUBLIC_PREFIX.test(value) || CONTENT_PREFIX.test(value))
    return false;
  if (/^(?:~|\.{1,2})?\/[^+=]*\//.test(value)) return false; // A path.
  // Capitals and digits alone are ids (ULID), small letters alone are words.
  if (!/\d/.test(value) || !/[a-z]/.test(value)) return false;
  const maxPiece = /^[a-z0-9]+$/.test(value) ? MAX_MEAN_PIECE_SMALL : MAX_MEAN_PIECE;
  return entropyOf(value) >= MIN_BITS && meanPieceOf(value) < maxPiece;
}

/** Shorter than what looks random by itself: a name beside it says the rest. */
const MIN_OPAQUE_CHARS = 16;
/** 16 random characters of base 62 have 3.8 bits on average. */
const MIN_OPAQUE_BITS = 3.2;
const MIN_OPAQUE_LETTERS = 20;
const MIN_OPAQUE_HEX_CHARS = 32;
const VERSION = /^v?\d+\.\d+/;

/** Beside a name that tells: letters and digits that no word, number, path or version is made of. */
export function looksOpaque(value: string): boolean {
  if (value.length < MIN_OPAQUE_CHARS || !/[A-Za-z]/.test(value)) return false;
  // Now and then chance leaves the digits out of a long one.
  const isMixedCase = value.length >= MIN_OPAQUE_LETTERS && /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (!/\d/.test(value) && !isMixedCase) return false;
  if ([UUID, PUBLIC_PREFIX, CONTENT_PREFIX, VERSION].some((known) => known.test(value))) return false;
  if (HEX.test(value)) return value.length >= MIN_OPAQUE_HEX_CHARS;
  if (value.includes("/") && PATH.test(`/${value}`) && !looksRandom(value)) return false;
  return entropyOf(value) >= MIN_OPAQUE_BITS && meanPieceOf(value) < MAX_MEAN_PIECE;
}

/** 64 random characters of base 64 have 5.2 bits on average, as many of hex at most 4. */
const MIN_KEY_LINE_BITS = 4.7;

/** One line of a key: as random as base64 gets. */
export const looksLikeKeyLine = (value: string): boolean =>
  looksRandom(value) && entropyOf(value) >= MIN_KEY_LINE_BITS;

/** Shannon entropy in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** How long the words, abbreviations and numbers are that an identifier would be made of. */
function meanPieceOf(value: string): number {
  const pieces = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return pieces.reduce((sum, piece) => sum + piece.length, 0) / Math.max(1, pieces.length);
}

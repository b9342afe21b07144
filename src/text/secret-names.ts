/**
 * Does a name say that its value is a secret? `DB_PASSWORD`, `apiKey`, `client-secret`, `aws.secretAccessKey`
 * do; `max_tokens`, `token_count`, `primary_key`, `nextPageToken` do not.
 */
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";

/** `password`: any literal under it is a secret. `token`: a literal that looks like one is. */
export type SecretClass = "password" | "token";

/** Names longer than this are no names. */
export const MAX_NAME_CHARS = 80;

const PASSWORD_END = /(?:password|passwd|passphrase|passcode|pwd|secret)$/;
const TOKEN_END = /(?:token|apikey|authkey|secretkey|accesskey|privatekey|credential|credentials)$/;
/** Names whose last words are these, though the last one alone says nothing. */
const KEY_KINDS =
  /(?:^|_)(?:api|access|secret|private|encryption|signing|auth|master|account|storage|shared|service|session|deploy|webhook|ssh|client|license|subscription|aes|hmac|app|bot)_key(?:_data|_base64|_pem|_b64)?$/;
const WHOLE_NAMES = /^(?:authorization|proxy_authorization|cookie|set_cookie|pass|pat)$/;
/** Tokens that are positions in a list, words of a language or numbers to count, not keys to anything. */
const NO_SECRET =
  /(?:^|_)(?:next|page|continuation|cursor|start|end|stop|bos|eos|pad|unk|mask|max|min|num|first|last|current|per|special)_(?:\w+_)?token$|(?:^|_)(?:no|has|is|use|needs|require|requires|show|hide)_/;
/** Names of values that look random and are public. `h1` is a line of go.sum. */
const PUBLIC_END =
  /(?:^|_)(?:ids?|uuid|guid|hash|hashes|h1|sha\d*|md5|digest|checksum|sum|integrity|e_?tag|commit|rev|revision|ref|refs|oid|tree|blob|parent|version|cursor|fingerprint|thumbprint|signature|path|paths|file|files|dir|url|uri|src|href|link|image|data|content|body|text|name|class|slug|model|resolved|mappings|nonce)$/;

/** Without one of these no name is telling: most names are not taken apart. */
const MAYBE = /pass|pwd|secret|token|key|credential|auth|cookie|pat/i;

/** False: no name in this text is. */
export const mayBeTelling = (text: string): boolean => MAYBE.test(text);

export function secretClassOf(name: string): SecretClass | null {
  // npm's and yarn's user and password in one.
  if (name === "_auth") return "token";
  if (!mayBeTelling(name)) return null;
  const words = wordsOf(name).replace(/_?\d+$/, "");
  if (words.length === 0 || words.length > MAX_NAME_CHARS || NO_SECRET.test(words)) return null;
  if (PASSWORD_END.test(words) || /(?:password|passwd)_(?:hash|base64|b64|plain|value)$/.test(words))
    return "password";
  // `pass` alone is a verb or a count; `db_pass` is not.
  if (/[a-z]_pass$/.test(words)) return "token";
  return TOKEN_END.test(words) || KEY_KINDS.test(words) || WHOLE_NAMES.test(words) ? "token" : null;
}

/** Does the name say that a random-looking value is public: an id, a hash, a path, content? */
export function isPublicName(name: string): boolean {
  return PUBLIC_END.test(wordsOf(name));
}

/** `dbPassword`, `DB_PASSWORD`, `db-password` and `db.password` as `db_password`. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

// Every string of a JSON value, each with the name it is given to; and the value again with others in their place.

/** Called in the same order for the same value. `name` is null for the name of a field itself. */
type VisitString = (text: string, name: string | null) => string;

/**
 * The value with every string as `visit` gave it back. Structure is kept: arrays keep their length, objects
 * their fields; field names that become equal are numbered, so that none is lost. A number under the name of a
 * password is visited as text.
 */
export function mapStrings(value: Json, visit: VisitString): Json {
  return mapValue(value, "", visit, 0);
}

function mapValue(value: Json, name: string, visit: VisitString, depth: number): Json {
  if (depth > MAX_JSON_DEPTH) throw new RefloatError("E_TOO_DEEP", { limit: MAX_JSON_DEPTH });
  if (typeof value === "string") return visit(value, name);
  if (typeof value === "number") return mapNumber(value, name, visit);
  if (Array.isArray(value)) return value.map((item: Json) => mapValue(item, name, visit, depth + 1));
  return isJsonObject(value) ? mapObject(value, visit, depth) : value;
}

function mapNumber(value: number, name: string, visit: VisitString): Json {
  if (secretClassOf(name) !== "password") return value;
  const text = String(value);
  const mapped = visit(text, name);
  return mapped === text ? value : mapped;
}

function mapObject(value: JsonObject, visit: VisitString, depth: number): Json {
  const fields: [string, Json][] = [];
  const taken = new Map<string, number>();
  // {"name": "DB_PASSWORD", "value": "..."}: a list of variables or headers.
  const pairName = value.name ?? value.key;
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const mapped = visit(field, null);
    const count = (taken.get(mapped) ?? 0) + 1;
    taken.set(mapped, count);
    const name = field === "value" && typeof pairName === "string" ? pairName : field;
    fields.push([count === 1 ? mapped : `${mapped} (${count})`, mapValue(item, name, visit, depth + 1)]);
  }
  // fromEntries defines fields, so that one called __proto__ stays a field.
  return Object.fromEntries(fields);
}

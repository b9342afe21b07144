/**
 * Does a name say that its value is a secret? `DB_PASSWORD`, `apiKey`, `client-secret`, `aws.secretAccessKey`
 * do; `max_tokens`, `token_count`, `primary_key`, `nextPageToken` do not.
 */

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

export function secretClassOf(name: string): SecretClass | null {
  // npm's and yarn's user and password in one.
  if (name === "_auth") return "token";
  if (!MAYBE.test(name)) return null;
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

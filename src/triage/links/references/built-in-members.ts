/** Members that values have without anybody here giving them: those of the language, of Node and of browsers. */

const MODULES = [
  "assert",
  "buffer",
  "child_process",
  "crypto",
  "events",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "net",
  "os",
  "path",
  "perf_hooks",
  "process",
  "querystring",
  "readline",
  "stream",
  "string_decoder",
  "timers",
  "tls",
  "url",
  "util",
  "vm",
  "worker_threads",
  "zlib",
] as const;

/** Of the trees that browsers show; the rest of theirs Node has, too. */
const BROWSERS =
  "addClass appendChild attachShadow blur click cloneNode closest contains createDocumentFragment createElement createElementNS createTextNode dispatchEvent focus getAttribute getAttributeNames getBoundingClientRect getComputedStyle getContext getElementById getElementsByClassName getElementsByTagName hasAttribute hasAttributes hasChildNodes insertAdjacentElement insertAdjacentHTML insertAdjacentText insertBefore insertRule item namedItem preventDefault querySelector querySelectorAll removeAttribute removeChild removeClass replaceChild replaceWith requestAnimationFrame scrollIntoView scrollTo setAttribute setAttributeNS stopImmediatePropagation stopPropagation toggleAttribute getPropertyValue setProperty removeProperty drawImage fillRect getImageData open send abort setRequestHeader getResponseHeader getAllResponseHeaders play pause";

/** Of what test runners hand to a test. */
const TESTS =
  "plan end pass fail ok notOk equal notEqual deepEqual notDeepEqual same notSame strictSame throws doesNotThrow rejects doesNotReject comment skip teardown timeout retries slow snapshot is not truthy falsy like regex notRegex";

/** How deep values are looked into. */
const MAX_DEPTH = 5;

let known: ReadonlySet<string> | null = null;

export function isBuiltInMember(name: string): boolean {
  known ??= collect();
  return known.has(name);
}

function collect(): ReadonlySet<string> {
  const names = new Set<string>(`${BROWSERS} ${TESTS}`.split(" "));
  const seen = new Set<unknown>();
  const modules = MODULES.map((name) => process.getBuiltinModule(`node:${name}`));
  for (const one of [globalThis, ...modules]) take(one, 0, names, seen);
  return names;
}

/** Names alone: no getter is run. */
function take(value: unknown, depth: number, names: Set<string>, seen: Set<unknown>): void {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || seen.has(value) || depth > MAX_DEPTH) return;
  seen.add(value);
  for (const [name, described] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    names.add(name);
    take(described.value, depth + 1, names, seen);
  }
  take(Object.getPrototypeOf(value), depth + 1, names, seen);
}

/**
 * Writes one event into refloat's inbox: a file of its own, synced with its folder (docs/hooks.md has its form). Never throws, never
 * prints, and does nothing where refloat is gone, where REFLOAT_OFF=1 says so, or where nobody has emptied the inbox for long.
 */
const MAX_WAITING = 8192;
const MAX_LARGE = 256;
const LARGE_BYTES = 16384;
const MAX_BYTES = 1048576;
const MAX_ANCESTORS = 8;
/** The recorder holds the tree before a command that destroys: it gives up long before this by itself. */
const RECORDER_MS = 2000;
/** Where a person lets calls wait longer, the recorder is given that time, too. */
const recorderMs = () => RECORDER_MS + (Number(process.env.REFLOAT_HOOK_WAIT) || 0) * 1000;

let processes = null;

/** Null: refloat is gone, or turned off. */
function home() {
  if (!["", "0", undefined].includes(process.env.REFLOAT_OFF)) return null;
  const said = process.env.REFLOAT_HOME ?? "";
  const homes = said.startsWith("/") ? [said] : REFLOAT_HOMES;
  return homes.find((one) => fs.existsSync(recorderIn(one)) && isFolder(path.join(one, "inbox"))) ?? null;
}

/** A link leads out of the home: nothing is written through one. */
function isFolder(one) {
  return fs.lstatSync(one, { throwIfNoEntry: false })?.isDirectory() === true;
}

function recorderIn(one) {
  return path.join(one, "bin", "refloat-hook");
}

/**
 * `by`: the recorder writes it, called in `by.cwd` with `by.word` behind the event: it holds trees, marks open turns and knows of work that lies
 * half done. What is to be told of that, if anything: `{ model, person }`.
 */
function record(agent, event, payload, by) {
  try {
    const place = home();
    if (place === null) return null;
    const body = Buffer.from(JSON.stringify(payload) ?? "null");
    const printed = by === undefined ? null : byRecorder(place, [agent, event, by.word ?? ""], body, by.cwd);
    if (printed !== null) return noticeIn(printed);
    write(path.join(place, "inbox"), agent, event, body);
  } catch {
    // An agent's work never ends because it could not be written down.
  }
  return null;
}

/** What it printed; null: it did not write the event. */
function byRecorder(place, words, body, cwd) {
  const ran = child.spawnSync(recorderIn(place), words, {
    ...(isFolder(cwd ?? "") ? { cwd } : {}),
    input: body,
    stdio: ["pipe", "pipe", "ignore"],
    timeout: recorderMs(),
  });
  return ran.error === undefined && ran.status === 0 ? String(ran.stdout) : null;
}

function noticeIn(printed) {
  if (!printed.startsWith("{")) return null;
  const { systemMessage, hookSpecificOutput } = JSON.parse(printed);
  return { model: hookSpecificOutput.additionalContext, person: systemMessage };
}

/** Sessions of this process that are remembered, the newest. */
const MAX_SESSIONS = 1000;

function remember(map, key, value) {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_SESSIONS) map.delete(map.keys().next().value);
}

/** The recorder's word for a prompt: the session's first in this process, or the first since its context was shortened. */
const words = new Map();

function wordFor(session) {
  const word = words.get(session) ?? "starts";
  remember(words, session, "");
  return word;
}

/** What no random name begins with: in their order behind all that do. */
const LATER = "ghijklmnopqrstuvwxyz";

function write(inbox, agent, event, whole) {
  const waiting = fs.readdirSync(inbox).filter((name) => name.endsWith(".hook"));
  if (waiting.length >= MAX_WAITING) {
    // What is dropped is counted, a byte each. Anything but a file of ours may lead elsewhere, or keep the agent waiting for ever.
    const mark = path.join(inbox, "dropped");
    if (fs.lstatSync(mark, { throwIfNoEntry: false })?.isFile() ?? true) fs.appendFileSync(mark, ".", { mode: 0o600 });
    return;
  }
  const isLarge = whole.length > LARGE_BYTES;
  const isCrowded = isLarge && waiting.filter((name) => name.endsWith("-L.hook")).length >= MAX_LARGE;
  const body = whole.subarray(0, isCrowded ? LARGE_BYTES : MAX_BYTES);
  const boot = line("/proc/sys/kernel/random/boot_id");
  const up = uptime();
  const fields = [
    ["agent", agent],
    ["event", event],
    ["at", Date.now()],
    ["uptime", up],
    ["boot", boot],
    ["pid-namespace", link("/proc/self/ns/pid")],
    ["cwd", process.cwd()],
    ["session", process.env.REFLOAT_SESSION || null],
    ...ancestors().map((one) => ["ancestor", one]),
    ["cut", body.length < whole.length ? body.length : null],
  ];
  const head = fields.flatMap(([key, value]) => (value === null ? [] : [`${key} ${escaped(String(value))}`]));
  const when = String(up ?? Math.floor(Date.now() / 1000)).padStart(10, "0");
  const ending = isLarge && !isCrowded ? "-L" : "";
  const moment = `${(boot ?? "00000000").split("-")[0]}-${when}-`;
  // Names are the order (D3), and one event may follow another within a hundredth of a second: it comes after those whose files are there.
  const before = waiting.filter((name) => name.startsWith(moment)).length;
  const name = `${moment}${before === 0 ? "" : LATER[Math.min(before, LATER.length) - 1]}${crypto.randomUUID()}${ending}.hook`;
  const text = `${["refloat-hook 1", ...head, "body"].join("\n")}\n`;
  put(inbox, name, Buffer.concat([Buffer.from(text), body, Buffer.from("\nend refloat-hook\n")]));
}

function put(inbox, name, bytes) {
  const file = path.join(inbox, name);
  const fd = fs.openSync(file, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
    fs.fsyncSync(fd);
  } catch {
    // A full disk: what is half there would only be quarantined.
    fs.rmSync(file, { force: true });
  } finally {
    fs.closeSync(fd);
  }
  const folder = fs.openSync(inbox, "r");
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

function escaped(value) {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** The agent's own process first, then those above it: by number, start and name. They do not change while it lives. */
function ancestors() {
  if (processes !== null) return processes;
  processes = [];
  for (let pid = process.pid; pid > 1 && processes.length < MAX_ANCESTORS; ) {
    const stat = line(`/proc/${pid}/stat`);
    if (stat === null) break;
    const close = stat.lastIndexOf(")");
    const rest = stat.slice(close + 2).split(" ");
    processes.push(`${pid} ${rest[19]} ${stat.slice(stat.indexOf("(") + 1, close)}`);
    pid = Number(rest[1]);
  }
  return processes;
}

/** Hundredths of a second since boot. */
function uptime() {
  const said = line("/proc/uptime");
  return said === null ? null : Math.floor(Number(said.split(" ")[0]) * 100);
}

function line(file) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function link(file) {
  try {
    return fs.readlinkSync(file);
  } catch {
    return null;
  }
}

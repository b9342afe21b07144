// What a page makes of the events: each message with its text, whatever was cut off between. No dependency; runs in a browser and in Node.

/** @typedef {{ id: string, role: string, state: string, text: string, durable: number }} Message */

export class Reader {
  /** @type {Map<string, Message>} */
  messages = new Map();
  #inputs = new Map();
  #show;

  /** @param {(message: Message) => void} show */
  constructor(show = () => undefined) {
    this.#show = show;
  }

  /** A piece of a message that may not be on disk yet: put at its place. */
  live({ message: id, role, type, at, text }) {
    if (type !== "text") return;
    const message = this.#message(id, role, "open");
    message.text = message.text.slice(0, at) + text + message.text.slice(at + text.length);
    this.#show(message);
  }

  /** A record, which is on disk. */
  record({ id, kind, body }) {
    if (kind === "input.queued") this.#inputs.set(body.input, textOf(body.parts));
    if (kind === "turn.began") this.#said(id, "user", this.#inputs.get(body.input) ?? textOf(body.parts));
    if (kind === "message.added") this.#said(id, body.role, textOf(body.parts));
    if (kind === "message.opened") this.#show(this.#message(body.message, body.role, "open"));
    if (kind === "message.grew" || kind === "message.ended") this.#grew(body, kind === "message.ended");
  }

  #grew({ message: id, parts, state }, isEnd) {
    const message = this.#message(id, "assistant", "open");
    const text = textOf(parts);
    const at = message.durable;
    message.text = message.text.slice(0, at) + text + message.text.slice(at + text.length);
    message.durable += text.length;
    // What was shown and never came to the disk is taken back.
    if (isEnd) message.text = message.text.slice(0, message.durable);
    if (isEnd) message.state = state;
    this.#show(message);
  }

  #said(id, role, text) {
    if (text === "") return;
    const message = this.#message(id, role, "final");
    message.text = text;
    message.durable = text.length;
    this.#show(message);
  }

  #message(id, role, state) {
    const known = this.messages.get(id);
    if (known) return known;
    const made = { id, role, state, text: "", durable: 0 };
    this.messages.set(id, made);
    return made;
  }
}

const textOf = (parts) =>
  (parts ?? [])
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");

/**
 * The baton over a Unix socket: single bytes, so nothing can be torn. The socket never keeps a process alive
 * and never carries data: a stranger who could reach it (the folder is 0700) could only spoil fairness.
 */
import { statSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import { removeTemporary } from "../../platform/private-file.ts";

/** Who may commit next: first come, first served. Kept by the one process that arbitrates. */
export interface QueueMember {
  /** It is your turn. */
  granted(): void;
  /** Your wish was heard, others are before you. */
  heard(): void;
  /** Somebody else waits: give the turn back soon. */
  askedBack(): void;
}

/**
 * A slice and a slow commit on a very busy machine. Who keeps the turn longer while others wait is stopped or stuck, and
 * must not hold up everybody else: the next one has it then. Two may believe it is theirs; the file lock settles that.
 */
const LONGEST_TURN_MS = 250;

export class TurnQueue {
  #holder: QueueMember | null = null;
  #waiting: QueueMember[] = [];
  #timer: NodeJS.Timeout | null = null;

  want(member: QueueMember): void {
    const isKnown = this.#holder === member || this.#waiting.includes(member);
    if (!isKnown) this.#waiting.push(member);
    if (!this.#holder) {
      this.#next();
      return;
    }
    member.heard();
    if (isKnown) return;
    this.#holder.askedBack();
    this.#watch();
  }

  done(member: QueueMember): void {
    if (this.#holder === member) this.#next();
  }

  /** Its connection is gone: its place and, if it had one, its turn are free. */
  leave(member: QueueMember): void {
    this.#waiting = this.#waiting.filter((other) => other !== member);
    this.done(member);
  }

  #next(): void {
    this.#stopWatching();
    this.#holder = this.#waiting.shift() ?? null;
    this.#holder?.granted();
    if (this.#waiting.length === 0) return;
    this.#holder?.askedBack();
    this.#watch();
  }

  #watch(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.#next(), LONGEST_TURN_MS);
    this.#timer.unref(); // fairness is no reason for a process to live on
  }

  #stopWatching(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

const WANT = "w";
const DONE = "d";
const GRANTED = "g";
const HEARD = "h";
const BACK = "b";

/** Our place at the arbiter, in this process or in another. */
export interface Seat {
  want(): void;
  done(): void;
  close(): void;
}

/** Sits down at whoever listens at `path`; null when nobody does. `onLost` is called when the arbiter dies. */
export function joinArbiter(path: string, member: QueueMember, onLost: () => void): Promise<Seat | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.unref();
    socket.setNoDelay(true);
    socket.once("connect", () =>
      resolve({
        want: () => send(socket, WANT),
        done: () => send(socket, DONE),
        close: () => socket.destroy(),
      }),
    );
    socket.on("data", (bytes) => {
      for (const letter of bytes.toString("latin1")) {
        if (letter === GRANTED) member.granted();
        if (letter === HEARD) member.heard();
        if (letter === BACK) member.askedBack();
      }
    });
    // Refused, vanished, reset: all mean that this arbiter is gone; `close` always follows.
    socket.on("error", () => resolve(null));
    socket.once("close", onLost);
  });
}

/** Becomes the arbiter; null when somebody else was faster. */
export function listenAsArbiter(path: string, member: QueueMember): Promise<Seat | null> {
  const queue = new TurnQueue();
  const server = createServer((socket) => serve(queue, socket));
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const code = errnoOf(error);
      // In use: another arbiter. No permission or no room: then there is no baton, only the file lock.
      if (
        code === "EADDRINUSE" ||
        code === "EACCES" ||
        code === "EROFS" ||
        code === "ENOSPC" ||
        code === "EINVAL"
      )
        resolve(null);
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve({
        want: () => queue.want(member),
        done: () => queue.done(member),
        close: () => {
          queue.leave(member);
          server.close();
        },
      });
    });
  });
}

function serve(queue: TurnQueue, socket: Socket): void {
  socket.unref();
  socket.setNoDelay(true);
  const member: QueueMember = {
    granted: () => send(socket, GRANTED),
    heard: () => send(socket, HEARD),
    askedBack: () => send(socket, BACK),
  };
  socket.on("data", (bytes) => {
    for (const letter of bytes.toString("latin1")) {
      if (letter === WANT) queue.want(member);
      if (letter === DONE) queue.done(member);
    }
  });
  socket.on("error", () => queue.leave(member));
  socket.once("close", () => queue.leave(member));
}

function send(socket: Socket, letter: string): void {
  if (!socket.destroyed) socket.write(letter);
}

/** A socket file whose listener was killed refuses connections; the next arbiter takes its place. */
export function removeStaleSocket(path: string): void {
  if (isSocket(path)) removeTemporary(path);
}

export function isSocket(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}

/** sun_path has 108 bytes (104 on macOS); a store deeper than that goes without a baton. */
const MAX_SOCKET_PATH_BYTES = 100;

export function batonPath(dbPath: string): string | null {
  const path = `${dbPath}-baton`;
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES && dirname(path) !== "" ? path : null;
}

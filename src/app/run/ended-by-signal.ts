/** A signal asked this process to end while a program of the user's ran. Thrown through everything that clears up after itself; a face turns it into the ending it is. */
export class EndedBySignal extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}

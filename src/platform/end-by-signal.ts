/**
 * Ends this process the way a signal it had caught would have: a shell then sees a death by that signal and
 * stops its script, instead of an ordinary exit it would go on after.
 */
export function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

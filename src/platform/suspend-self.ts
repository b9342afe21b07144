/**
 * Stops this process until somebody continues it, as Ctrl-Z does to a program: its whole job stops, and the shell has
 * the terminal back. Where no shell watches over the job the kernel does not stop it, and it goes on at once.
 */
const SETTLED_MS = 50;

export async function suspendSelf(signal: "SIGTSTP" | "SIGSTOP"): Promise<void> {
  // 0: our own group. SIGSTOP cannot be kept for a terminal's job alone and goes to this process only.
  process.kill(signal === "SIGTSTP" ? 0 : process.pid, signal);
  // The signal may reach another thread first; by the time the timer runs we have been stopped and continued.
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
}

/**
 * Calls `kill` when this process ends: by `process.exit` or an uncaught exception (both emit `exit`), or by one of the
 * signals below. The listeners exist only while something is registered. Returns a function that unregisters `kill`.
 *
 * If the program listens for a signal too, it decides what the signal means, so we do nothing; if it exits, `exit` is
 * emitted. Otherwise we kill all children and raise the signal again, so that this process dies of it as if it had no
 * listener.
 *
 * SIGKILL cannot be handled; the watchdog covers that.
 */
export function registerForKill(kill: () => void): () => void {
  if (registered.size === 0) listen();
  registered.add(kill);
  return () => {
    if (registered.delete(kill) && registered.size === 0) stopListening();
  };
}

const registered = new Set<() => void>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function listen(): void {
  process.on("exit", killAll);
  for (const signal of SIGNALS) process.on(signal, dieOf);
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, dieOf);
}

function dieOf(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  stopListening();
  process.kill(process.pid, signal);
}

function killAll(): void {
  for (const kill of registered) kill();
}

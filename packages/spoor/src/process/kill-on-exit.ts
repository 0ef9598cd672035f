/**
 * Whatever ends this process ends its children: `process.exit` and an uncaught exception through `exit`, and the signals
 * below. The listeners stand only while there is someone to kill.
 *
 * A signal is left alone where the program listens for it too: it has taken over what the signal means, and its exit
 * comes by here anyway. Otherwise the signal is raised again once all are dead, so that we die of it as if we had
 * never listened.
 *
 * SIGKILL leaves us no moment; the watchdog is for that.
 */
export function registerForKill(kill: () => void): () => void {
  if (live.size === 0) listen();
  live.add(kill);
  return () => {
    if (live.delete(kill) && live.size === 0) stopListening();
  };
}

const live = new Set<() => void>();
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
  for (const kill of live) kill();
}

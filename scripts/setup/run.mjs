import { spawn } from "node:child_process";
import { isatty } from "node:tty";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program to its end, passing on the signals this process gets.
 *
 * `ownGroup` puts the program and all it starts into a process group of their own, which then gets the signals as a
 * whole and is cleared away when a signal ended it. Only for programs that need no terminal.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdio: import("node:child_process").StdioOptions, ownGroup?: boolean }} options
 * @returns {Promise<{ code: number, signal?: NodeJS.Signals, received?: NodeJS.Signals, error?: Error }>}
 *   `signal` is what ended the program, `received` what this process was sent meanwhile
 */
export function run(command, args, { ownGroup = false, ...options }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, detached: ownGroup });
    /** @type {NodeJS.Signals | undefined} */
    let received;

    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      received = signal;
      // Ctrl-C reaches everything in the terminal's group by itself; a second one would mean "now, at once" to many programs.
      if (signal === "SIGINT" && !ownGroup && hasTerminal()) return;
      send(child.pid, signal, ownGroup);
    };
    const finish = (/** @type {any} */ end) => {
      for (const signal of forwarded) process.removeListener(signal, forward);
      if (ownGroup && received !== undefined) send(child.pid, "SIGKILL", true);
      resolve(received === undefined ? end : { ...end, received });
    };

    for (const signal of forwarded) process.on(signal, forward);
    child.on("error", (error) => finish({ code: 127, error }));
    child.on("exit", (code, signal) => finish(signal === null ? { code } : { code: 1, signal }));
  });
}

/**
 * Ends this process by the signal that ended its child, so that callers see the true cause.
 *
 * @param {NodeJS.Signals} signal
 */
export function dieOf(signal) {
  process.kill(process.pid, signal);
  // The signal arrives within moments; until then nothing else must happen.
  setTimeout(() => process.exit(1), 1000);
}

function hasTerminal() {
  return isatty(0) || isatty(1) || isatty(2);
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 * @param {boolean} group
 */
function send(pid, signal, group) {
  if (pid === undefined) return;
  try {
    process.kill(group ? -pid : pid, signal);
  } catch (error) {
    // Gone already.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

import { spawn } from "node:child_process";
import { isatty } from "node:tty";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program to its end and forwards the signals that this process receives.
 *
 * `ownGroup` starts the program in its own process group. The whole group then receives the signals and is killed when a
 * signal ended the program. Use it only for programs that need no terminal.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdio: import("node:child_process").StdioOptions, ownGroup?: boolean }} options
 * @returns {Promise<{ code: number, signal?: NodeJS.Signals, received?: NodeJS.Signals, error?: Error }>}
 *   `signal` is the signal that ended the program, `received` the one that this process received meanwhile
 */
export function run(command, args, { ownGroup = false, ...options }) {
  return new Promise((resolve) => {
    /** @type {NodeJS.Signals | undefined} */
    let received;

    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      received = signal;
      // The terminal sends Ctrl-C to its whole group already; many programs treat a second one as "quit at once".
      if (signal === "SIGINT" && !ownGroup && hasTerminal()) return;
      send(child.pid, signal, ownGroup);
    };
    const finish = (/** @type {any} */ end) => {
      for (const signal of forwarded) process.removeListener(signal, forward);
      if (ownGroup && received !== undefined) send(child.pid, "SIGKILL", true);
      resolve(received === undefined ? end : { ...end, received });
    };

    // Before the program starts: it may be heard of, and this process be signalled, before `spawn` has returned.
    for (const signal of forwarded) process.on(signal, forward);
    const child = spawn(command, args, { ...options, detached: ownGroup });
    child.on("error", (error) => finish({ code: 127, error }));
    child.on("exit", (code, signal) => finish(signal === null ? { code } : { code: 1, signal }));
  });
}

/**
 * Ends this process with the signal that ended its child, so that callers see the real cause.
 *
 * @param {NodeJS.Signals} signal
 */
export function dieOf(signal) {
  process.kill(process.pid, signal);
  // The signal arrives soon; do nothing else until then.
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
    // The process has already ended.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

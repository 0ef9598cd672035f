import type { Io } from "../io.ts";
import { watchStdout } from "./watch-stdout.ts";

/** The standard output of a command that speaks a protocol there. */
export interface ProtocolOutput {
  /** Rejects if nobody reads any more. */
  write(message: string | Uint8Array): Promise<void>;
  /** Gives the output back. After a signal, a client that no longer reads does not keep the process alive. */
  release(options?: { isStopped?: boolean }): void;
}

/**
 * Takes the standard output for a protocol: what anything else writes to it goes to standard error. A client that is gone is
 * reported by `write`, so that the command can end its work before it exits.
 */
export function takeOutput({ stdout, stderr }: Io): ProtocolOutput {
  const own = stdout.write;
  const watch = watchStdout(stdout, () => {});
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    write: (message) =>
      new Promise((resolve, reject) => {
        own.call(stdout, message, "utf8", (error) => (error ? reject(error) : resolve()));
      }),
    release({ isStopped = false } = {}) {
      stdout.write = own;
      watch.release();
      if (isStopped) setTimeout(() => process.exit(), READ_MS).unref();
    },
  };
}

/** How long a client may take, after a signal, to read what was answered. */
const READ_MS = 1_000;

import type { Readable } from "node:stream";
import { openFollowedFile } from "./follow-file.ts";
import type { OutputSource } from "./process-output.ts";

/** Files used instead of the pipes of a process. */
export interface OutputFiles {
  /** The descriptors the process writes to. */
  fds: Record<OutputSource, number>;
  streams: Record<OutputSource, Readable>;
  /** Call this when no process writes any more. The streams end when everything is read. */
  finish(): void;
  close(): void;
}

/** Returns undefined when the system allows no such files. */
export function openOutputFiles(): OutputFiles | undefined {
  const [stdout, stderr] = [openFollowedFile(), openFollowedFile()];
  const close = (): void => {
    for (const file of [stdout, stderr]) file?.stream.destroy();
  };
  if (!stdout || !stderr) {
    close();
    return undefined;
  }
  return {
    fds: { stdout: stdout.fd, stderr: stderr.fd },
    streams: { stdout: stdout.stream, stderr: stderr.stream },
    finish() {
      for (const file of [stdout, stderr]) file.finish();
    },
    close,
  };
}

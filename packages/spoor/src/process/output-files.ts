import type { Readable } from "node:stream";
import { openFollowedFile } from "./follow-file.ts";
import type { OutputSource } from "./process-output.ts";

/** Files that stand for the pipes of a process. */
export interface OutputFiles {
  /** For the process to write to. */
  fds: Record<OutputSource, number>;
  streams: Record<OutputSource, Readable>;
  /** Nobody writes any more: the streams end once they are read. */
  finish(): void;
  close(): void;
}

/** Undefined where there can be no such files. */
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

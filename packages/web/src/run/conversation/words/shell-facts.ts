import type { ShellView } from "@spoor/protocol";
import { bytes } from "../../../ui/format.ts";

/** How much a command printed, how much of it is shown, and how the command ended, in one line. */
export function shellFacts(shell: ShellView, state: "loading" | "ready" | "failed", isFolded: boolean): string {
  const all = shell.stdoutBytes + shell.stderrBytes;
  return [
    shell.running ? "runs" : all === 0 ? "no output" : bytes(all),
    state === "loading" ? "reading the output…" : state === "failed" ? "the output could not be read" : "",
    all > 0 && state === "ready" && !shell.running && !isFolded && !shell.omittedBytes ? "all shown" : "",
    shell.stderrBytes > 0 ? `stderr ${bytes(shell.stderrBytes)}` : "",
    shell.truncated ? "the agent cut the output" : "",
    shell.exitCode ? `exit ${shell.exitCode}` : "",
    shell.signal ? `ended by ${shell.signal}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

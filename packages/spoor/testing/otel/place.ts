import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { traceIdOf } from "../../src/translators/otel/otlp.ts";
import { bin, type Ended, fakeCommand } from "../cli/process.ts";
import { type Collector, startCollector } from "./collector.ts";

export interface LongRunning {
  child: ChildProcess;
  /** What it printed to standard error so far. */
  stderr(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A home with a data directory, a collector, and the program as a process with the variables that point there. */
export async function createPlace(name: string) {
  const home = mkdtempSync(path.join(tmpdir(), `spoor-otlp-${name}-`));
  const collector: Collector = await startCollector();
  const running: LongRunning[] = [];
  onTestFinished(async () => {
    for (const one of running) await one.stop("SIGKILL");
    await collector.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const plain = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: path.join(home, "data") };
  const exporting = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_METRIC_EXPORT_INTERVAL: "100",
  };
  type Variables = Record<string, string>;
  const start = (argv: readonly string[], variables: Variables) =>
    spawn(process.execPath, [bin, ...argv], { cwd: home, env: { ...plain, ...variables } });
  async function spoor(argv: readonly string[], variables: Variables = exporting): Promise<Ended> {
    const child = start(argv, variables);
    child.stdin.end();
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit") as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }
  return {
    data: plain.SPOOR_HOME,
    collector,
    exporting,
    spoor,
    /** Runs the fake agent and returns the id of the run. */
    async run(prompt: string, variables: Variables = exporting, ...flags: string[]): Promise<string> {
      const { stdout, stderr, code } = await spoor(
        ["run", "claude", prompt, "--json", ...fakeCommand, ...flags],
        variables,
      );
      const id = /"run_id":"(run_\w+)"/.exec(stdout)?.[1];
      if (id === undefined) throw new Error(`The run was not recorded (${code}): ${stderr}`);
      return id;
    },
    /** Starts `spoor serve` or `spoor work`; resolves when it is ready. */
    async start(argv: readonly string[], variables: Variables = exporting): Promise<LongRunning> {
      const child = start([...argv, "--json"], variables);
      let errors = "";
      child.stderr.setEncoding("utf8").on("data", (piece) => {
        errors += piece;
      });
      const one: LongRunning = {
        child,
        stderr: () => errors,
        async stop(signal = "SIGTERM") {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill(signal);
          await once(child, "exit");
        },
      };
      running.push(one);
      await Promise.race([
        once(child.stdout, "data"),
        once(child, "exit").then(() => Promise.reject(new Error(`It ended at once: ${errors}`))),
      ]);
      return one;
    },
    /** How often the trace of a run came, counted by its first span. */
    times: (run_id: string): number =>
      (collector.traces().get(traceIdOf(run_id)) ?? []).filter(({ parentSpanId }) => parentSpanId === undefined).length,
  };
}

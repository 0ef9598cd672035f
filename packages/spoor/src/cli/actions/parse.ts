import { createReadStream, existsSync, readFileSync } from "node:fs";
import { asNumber, asObject, asText, parseObject } from "../../agents/kit/json-values.ts";
import { adapters } from "../../agents/registry.ts";
import { parse, type RecordedExit } from "../../assemble/parse.ts";
import { findAgent } from "../../inventory/find-agent.ts";
import { lines } from "../../process/lines.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { printStored } from "../output/json.ts";

export interface ParseCommandOptions {
  dialect?: string;
  exitCode?: number;
  signal?: string;
  stream: "auto" | "true" | "false";
  accumulated?: true;
  debug?: true;
}

export async function parseFile(agent: string, file: string, options: ParseCommandOptions, io: Io): Promise<void> {
  const adapter = findAgent(adapters, agent);
  const events = parse(lines(file === "-" ? io.stdin : createReadStream(file)), {
    adapter,
    exit: exitOf(file, options),
    stream: options.stream === "auto" ? "auto" : options.stream === "true",
    ...(options.dialect !== undefined && { dialect: options.dialect }),
    ...(options.debug && { debug: true }),
  });
  try {
    for await (const event of events) {
      await printStored(io.stdout, `${JSON.stringify(options.accumulated ? event : withoutAccumulated(event))}\n`);
    }
  } catch (error) {
    if (error instanceof RangeError) throw new ExitError(2, error.message);
    throw new ExitError(2, `Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The exit of the process: from the flags, from the recording's .meta.json, or otherwise code 0. */
function exitOf(file: string, { exitCode, signal }: ParseCommandOptions): RecordedExit {
  if (exitCode !== undefined && !Number.isInteger(exitCode))
    throw new ExitError(2, "--exit-code takes a whole number.");
  if (signal !== undefined) return { code: null, signal };
  if (exitCode !== undefined) return { code: exitCode, signal: null };
  const beside = file.replace(/\.jsonl$/, ".meta.json");
  const meta = beside !== file && existsSync(beside) ? parseObject(readFileSync(beside, "utf8")) : undefined;
  const code = asNumber(meta?.exit_code) ?? asNumber(meta?.exitCode);
  const ended = asText(meta?.signal);
  if (ended !== undefined) return { code: null, signal: ended };
  // The recorder sent a signal, but the agent exited with a code as usual.
  const interrupted = asText(asObject(meta?.killed)?.signal) !== undefined;
  return { code: code ?? 0, signal: null, interrupted };
}

import { dataDirectory } from "../../log/open.ts";
import { ExitError } from "../exit-error.ts";
import { optionsFromFlags } from "../flags/run-flags.ts";
import { findRun } from "../history/find-run.ts";
import { withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { refuseTwoForms } from "../output/json.ts";
import { performLoop } from "../running/perform-loop.ts";
import { readPrompt } from "../running/read-prompt.ts";
import { refuseUnwritable, writeResult } from "../running/result-file.ts";
import type { RunCommandOptions } from "../running/run-command-options.ts";

/** `spoor run loop`: makes a task and its run, performs it in this process, and shows it like any other run. */
export async function runLoop(prompt: string | undefined, options: RunCommandOptions, io: Io): Promise<void> {
  const { result: file, record, json, agentEvents, debug, lockWait } = options;
  refuseTwoForms(options);
  refuseFlags(options);
  if (file !== undefined) refuseUnwritable(file);
  const asked = await readPrompt(prompt, options.promptFile, io.stdin);
  const flags = await withFullRunIds(optionsFromFlags(options), options);
  const performed = await performLoop(
    {
      options: { ...flags, prompt: asked },
      task: {
        ...(options.recordThinking && { record_thinking: true }),
        ...(options.recordToolInput && { record_tool_input: true }),
      },
      directory: options.data ?? dataDirectory(),
      record,
      view: {
        ...(options.output !== undefined && { output: options.output }),
        ...(options.thinking && { thinking: options.thinking }),
      },
      ...(json && { json }),
      ...(agentEvents && { agentEvents }),
      ...(debug && { debug }),
      ...(lockWait !== undefined && { lockWait }),
    },
    io,
  );
  const unwritten = file === undefined ? undefined : writeResult(file, performed.result);
  if (unwritten !== undefined) io.stderr.write(`${unwritten}\n`);
  performed.requireCompleted();
  if (unwritten !== undefined) throw new ExitError(1);
}

/** A session of the loop is named by one of its runs: by its id, by a part of it, or `last`. */
async function withFullRunIds(
  flags: ReturnType<typeof optionsFromFlags>,
  { data }: RunCommandOptions,
): Promise<ReturnType<typeof optionsFromFlags>> {
  const { resume, fork } = flags;
  const full = (typed: string) =>
    withLog({ ...(data !== undefined && { data }) }, async (log) => {
      const { runs } = await log.runs({ native_session_id: typed, agent: "loop", limit: 1 });
      const { run_id, parent_run_id } = runs[0] ?? (await findRun(log, typed));
      // The newest run may be that of a subagent.
      return typed === "last" ? (parent_run_id ?? run_id) : run_id;
    });
  return {
    ...flags,
    ...(resume !== undefined && { resume: await full(resume) }),
    ...(fork !== undefined && { fork: await full(fork) }),
  };
}

function refuseFlags(options: RunCommandOptions): void {
  const refused = refusals.find(({ name, isSet }) => isSet(options[name]));
  if (refused) throw new ExitError(2, `${refused.flag} does not work with the loop: ${refused.why}`);
}

const isGiven = (value: unknown): boolean => value !== undefined;

interface Refusal {
  name: keyof RunCommandOptions;
  flag: string;
  isSet(value: unknown): boolean;
  why: string;
}

const recorded = "it goes on from what is recorded. Leave it out.";

const refusals: readonly Refusal[] = [
  {
    ...{ name: "queue", flag: "--queue", isSet: isGiven },
    why: "its run ends with its answer. Use `spoor continue` for a further prompt.",
  },
  {
    ...{ name: "task", flag: "--task", isSet: isGiven },
    why: "each of its runs has a task. Use `spoor continue` to go on with one.",
  },
  {
    ...{ name: "session", flag: "--no-session", isSet: (value) => value === false },
    why: "its log is its session. --no-record keeps neither.",
  },
  { name: "maxRecorded", flag: "--max-recorded", isSet: isGiven, why: recorded },
  { name: "ifUnrecorded", flag: "--if-unrecorded continue", isSet: (value) => value === "continue", why: recorded },
];

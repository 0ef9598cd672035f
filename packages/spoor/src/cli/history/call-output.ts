import { createRunFold } from "@spoor/protocol";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { plural } from "../output/plural.ts";
import { createScreen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { visibleOutput } from "../output/visible.ts";
import { write } from "../output/write.ts";

/** Prints everything that one call of a run printed. A pipe gets the exact text; on a terminal, codes are visible. */
export async function showOutput(log: Log, { run_id }: StoredRun, number: number, io: Io): Promise<void> {
  const fold = createRunFold();
  for await (const envelope of readEnvelopes(log, { run_id })) fold.fold(envelope);
  const { tools } = fold.snapshot();
  const tool = tools[number - 1];
  if (!tool) {
    const known = tools.length === 0 ? "made no calls" : `made ${plural(tools.length, "call")}`;
    throw new ExitError(
      1,
      `The run ${known}, so there is no call ${number}. \`spoor show ${run_id} --steps\` lists them.`,
    );
  }
  const screen = createScreen(new Display(io));
  const isTerminal = (io.stdout as { isTTY?: boolean }).isTTY === true;
  let isEmpty = true;
  const print = async (text: string) => {
    if (text !== "") isEmpty = false;
    if (isTerminal) for (const line of text.replace(/\n$/, "").split("\n")) screen.paragraph(visibleOutput(line));
    else await write(io.stdout, text);
  };
  let begun = "";
  for await (const { data } of readEnvelopes(log, { run_id, match: (type) => type === "tool.shell.output_chunk" })) {
    if (data.tool_call_id !== tool.id || typeof data.data !== "string") continue;
    const text = `${begun}${data.data}`;
    const end = text.lastIndexOf("\n") + 1;
    begun = text.slice(end);
    if (end > 0) await print(text.slice(0, end));
  }
  if (begun !== "") await print(begun);
  if (!isEmpty) return;
  const { output, error } = tool;
  const text =
    typeof output === "string" ? output : output === undefined ? (error ?? "") : JSON.stringify(output, null, 2);
  if (text === "") io.stderr.write(`Call ${number} (${terminalSafe(tool.name)}) printed nothing.\n`);
  else await print(`${text.replace(/\n$/, "")}\n`);
}

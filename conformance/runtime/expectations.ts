import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Ended, Started } from "./commands.ts";
import { endsWhenRefused } from "./expected.ts";
import type { Row, Stage, StoredEvent } from "./stage.ts";

export const expectThat = (isTrue: boolean, problem: string): string[] => (isTrue ? [] : [problem]);

export function expectExit({ code, stdout, stderr }: Ended, expected: number): string[] {
  const said = `${stderr || stdout}`.trim().slice(-300);
  return expectThat(code === expected, `The command ended with ${code}, not ${expected}: ${said}`);
}

export function expectCount(events: readonly StoredEvent[], type: string, count: number): string[] {
  const found = ofType(events, type).length;
  return expectThat(found === count, `There are ${found} ${type}, not ${count}.`);
}

export const expectFile = ({ cwd }: Stage, name: string, exists: boolean): string[] =>
  expectThat(existsSync(join(cwd, name)) === exists, `${name} ${exists ? "is missing" : "was written"}.`);

export const ofType = (events: readonly StoredEvent[], type: string): StoredEvent[] =>
  events.filter((event) => event.type === type);

/** The model was called again after the refusal, so the agent went on; or the agent is known to end there. */
export function wentOn({ model, agent }: Stage): string[] {
  const isCalledAgain = model.requests.filter(({ step }) => step !== undefined).length > 1;
  if (endsWhenRefused.has(agent)) return expectThat(!isCalledAgain, "It goes on now: take it off the list.");
  return expectThat(isCalledAgain, "The model was not called again.");
}

/** Waits for the approval that a run asks for. */
export const pendingApproval = (stage: Stage, run: Started): Promise<Row> =>
  unlessEnded(
    run,
    stage.until("an approval waits", async () => (await stage.rows("approvals"))[0]),
  );

/** Waits for something that happens while a command runs. */
export function unlessEnded<T>({ ended }: Started, happening: Promise<T>): Promise<T> {
  const early = ended.then(({ code, stdout, stderr }) => {
    throw new Error(`The run ended too early, with ${code}: ${`${stdout}\n${stderr}`.trim().slice(-600)}`);
  });
  early.catch(() => {});
  happening.catch(() => {});
  return Promise.race([happening, early]);
}

const terminal = new Set(["run.finished", "run.failed", "run.cancelled"]);

/** What must hold after every scenario: the contract, one terminal event per run, no process left, and sound projections. */
export async function expectSound(stage: Stage): Promise<string[]> {
  const problems: string[] = [];
  const runs = await stage.rows("ls", "--limit", "100");
  for (const { run_id, status, pending } of runs) {
    const events = await stage.events(String(run_id));
    const ends = events.filter(({ type }) => terminal.has(type)).map(({ type }) => type);
    problems.push(...expectThat(ends.length === 1, `${run_id} has the terminal events ${ends.join(", ") || "none"}.`));
    problems.push(
      ...expectThat((pending ?? 0) === 0, `${run_id} is ${status} and still waits for ${pending} answers.`),
    );
  }
  const contract = await stage.pipe(["events", "--json"], ["check"]);
  problems.push(...expectThat(contract.code === 0, `spoor check: ${contract.stdout.slice(0, 600)}`));
  await stage.stopServer();
  for (const argv of [["verify"], ["repair", "--check"]]) {
    const { code, stdout, stderr } = await stage.spoor(...argv);
    problems.push(...expectThat(code === 0, `spoor ${argv.join(" ")}: ${`${stdout}${stderr}`.slice(0, 600)}`));
  }
  const left = stage.processes();
  const names = left.map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
  problems.push(...expectThat(left.length === 0, `Processes are left: ${names.join("; ")}.`));
  return problems;
}

import type { Command } from "commander";
import type { ApprovalsOptions } from "../actions/approvals.ts";
import type { CommandOptions } from "../actions/command.ts";
import type { DecideOptions } from "../actions/decide.ts";
import type { Io } from "../io.ts";
import { RUN, withData } from "./shared-arguments.ts";

const APPROVAL =
  "the approval: its id, a part of its id that matches only one open approval, a run that has only one open approval, or `last` if only one is open";

/** The commands that answer and control runs, wherever they are executed. */
export function registerApprovals(program: Command, io: Io): void {
  withData(program.command("approvals"))
    .summary("list what waits for permission")
    .description(
      "Lists the actions that wait for permission, of all runs that are recorded here, wherever they are executed. " +
        "Answer with `spoor approve` or `spoor deny`.",
    )
    .option("--watch", "keep going: show new ones, and how they are decided; at a terminal, ask for an answer to each")
    .option("--all", "show the decided ones, too")
    .option("--json", "print a JSON line for each approval")
    .action(async (options: ApprovalsOptions) => (await import("../actions/approvals.ts")).approvals(options, io));

  for (const decision of ["approve", "deny"] as const) {
    const command = withData(program.command(decision))
      .summary(decision === "approve" ? "allow an action that waits" : "refuse an action that waits")
      .description(
        `${decision === "approve" ? "Allows" : "Refuses"} an action that waits for permission. The first answer counts, no matter who gives it and where. ` +
          "Exit code 1: it could not be answered, for example because somebody was faster.",
      )
      .argument("<approval>", APPROVAL);
    if (decision === "deny") command.argument("[reason]", "why not, in quotes; the agent gets it");
    command
      .option("-m, --message <text>", decision === "deny" ? "the reason, as a flag" : "a comment, which is recorded")
      .option("--json", "print the record of the approval as JSON")
      .action(async (id: string, ...rest: unknown[]) => {
        const [reason, options] = rest.length > 2 ? [rest[0], rest[1]] : [undefined, rest[0]];
        const { decide } = await import("../actions/decide.ts");
        await decide(
          decision,
          id,
          { ...(options as DecideOptions), ...(reason ? { reason: String(reason) } : {}) },
          io,
        );
      });
  }

  for (const [name, { summary, description }] of Object.entries(commands)) {
    const command = withData(program.command(name)).summary(summary).description(description).argument("<run>", RUN);
    if (name === "send" || name === "answer") command.argument("<text>", "what to tell the agent, in quotes");
    if (name === "answer") command.option("--question <id>", "the question, if the run has several open ones");
    command
      .option("-m, --message <text>", "the reason")
      .option("--no-wait", "do not wait until the run has carried it out")
      .option("--json", "print the command as JSON")
      .action(async (run: string, ...rest: unknown[]) => {
        const [text, options] = typeof rest[0] === "string" ? [rest[0], rest[1]] : [undefined, rest[0]];
        const { command: act } = await import("../actions/command.ts");
        await act(name as keyof typeof commands, run, text, options as CommandOptions, io);
      });
  }
}

const commands = {
  send: {
    summary: "give a running agent another prompt",
    description: "Gives the agent of a run another prompt. Agents that take no further prompts refuse it.",
  },
  answer: {
    summary: "answer a question of an agent",
    description:
      "Answers a question that the agent of a run asked. `spoor approve` and `spoor deny` answer the others.",
  },
  interrupt: {
    summary: "ask an agent to stop what it does",
    description: "Asks the agent of a run to stop what it does, as Ctrl-C does in its terminal.",
  },
  cancel: {
    summary: "end a run",
    description:
      "Ends a run and all its processes, wherever it is executed. A run that waits in the queue never starts.",
  },
  pause: { summary: "stop the processes of a run", description: "Stops the processes of a run until `spoor unpause`." },
  unpause: { summary: "let a paused run go on", description: "Lets the processes of a paused run go on." },
};

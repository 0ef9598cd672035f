import type { Command } from "commander";
import type { ChangeRunOptions } from "../actions/change-run.ts";
import type { DiffOptions } from "../actions/diff.ts";
import type { PatchOptions } from "../actions/patch.ts";
import type { PatchesOptions } from "../actions/patches.ts";
import { count } from "../flags/numbers.ts";
import type { Io } from "../io.ts";
import { RUN, withData } from "./shared-arguments.ts";

const PATCH =
  "the patch: its id, a part at the beginning or end of its id that matches only one patch, or the id of a group (a call's patches)";

/** The commands about files that runs changed. */
export function registerPatches(program: Command, io: Io): void {
  withData(program.command("patches"))
    .summary("list the changes of a run, file by file")
    .description("Lists the patches of a run: one for each file and call, the oldest first.")
    .argument("[run]", RUN, "last")
    .option("--status <status>", "only patches with this status: proposed, applied, rejected, reverted or conflict")
    .option("--json", "print a JSON line for each patch")
    .action(async (run: string, options: PatchesOptions) =>
      (await import("../actions/patches.ts")).listPatches(run, options, io),
    );

  const patch = program
    .command("patch")
    .summary("show, apply, reject or revert one change")
    .description(
      "Works on one patch, or on some of its hunks. Nothing is written unless every file is exactly as the patch needs it.",
    );
  for (const [verb, summary, description] of verbs) {
    const command = withFile(withData(patch.command(verb)))
      .summary(summary)
      .description(description)
      .argument("<patch>", PATCH);
    if (verb !== "reject")
      command.option("--hunk <n>", "only this hunk, counted from 0; may be given several times", hunks);
    if (verb !== "show") command.option("-m, --reason <text>", "why, for the record");
    command
      .option("--json", "print the patch as JSON")
      .action(async (id: string, options: PatchOptions) =>
        (await import("../actions/patch.ts")).actOnPatch(verb, id, options, io),
      );
  }

  withFile(withData(program.command("diff")))
    .summary("show everything a run changed as one diff")
    .description(
      "Shows the changes of a run as one diff, as Git writes it. On a terminal it has colours and is shown by $PAGER " +
        "(default: less -FRX); in a pipe it is the bare patch.",
    )
    .argument("[run]", RUN, "last")
    .argument("[paths...]", "only these files, and files in these folders")
    .option("--turn <n>", "only changes of this turn, counted from 1", count("--turn"))
    .option("--through <checkpoint>", "only changes up to this checkpoint: its id, or the sequence of an event")
    .option("--stat", "only list the files with their added and removed lines")
    .option("--json", "print the files and the diff as JSON")
    .action(async (run: string, paths: string[], options: DiffOptions) =>
      (await import("../actions/diff.ts")).showDiff(run, paths, options, io),
    );

  withFile(withData(program.command("apply")))
    .summary("apply the proposed changes of a run")
    .description(
      "Applies all proposed patches of a run to its workspace, or everything the run changed to another folder. " +
        "All files are written, or none.",
    )
    .argument("<run>", RUN)
    .option("--to <dir>", "write everything the run changed to this folder instead of the run's own workspace")
    .option("-m, --reason <text>", "why, for the record")
    .option("--json", "print a JSON line for each patch")
    .action(async (run: string, options: ChangeRunOptions) =>
      (await import("../actions/change-run.ts")).changeRun("apply", run, options, io),
    );

  withFile(withData(program.command("revert")))
    .summary("take the changes of a run back")
    .description(
      "Reverts all applied patches of a run in its workspace, the newest first. All files are written, or none: a file that " +
        "was changed since is a conflict.",
    )
    .argument("<run>", RUN)
    .option("-m, --reason <text>", "why, for the record")
    .option("--json", "print a JSON line for each patch")
    .action(async (run: string, options: ChangeRunOptions) =>
      (await import("../actions/change-run.ts")).changeRun("revert", run, options, io),
    );
}

const verbs = [
  ["show", "show a patch with its hunks", "Shows the diff of a patch. Each hunk has a number for --hunk."],
  ["apply", "write a proposed patch to its file", "Writes a proposed patch, or some of its hunks, to its file."],
  ["reject", "decide that a proposed patch is not applied", "Rejects a proposed patch. No file is touched."],
  ["revert", "take an applied patch back", "Takes an applied patch, or some of its hunks, back out of its file."],
] as const;

const withFile = (command: Command): Command =>
  command.option("--file <path>", "only this file, as `spoor patches` shows it; may be given several times", several);

const several = (text: string, before: string[] = []): string[] => [...before, text];
const hunks = (text: string, before: number[] = []): number[] => [...before, count("--hunk", 0)(text)];

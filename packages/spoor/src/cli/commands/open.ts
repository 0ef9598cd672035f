import type { Command } from "commander";
import type { OpenOptions } from "../actions/open.ts";
import type { Io } from "../io.ts";
import { RUN, withData } from "./shared-arguments.ts";

/** `spoor open`: the web page of the log, in the browser of this machine or of a phone. */
export function registerOpen(program: Command, io: Io): void {
  withData(program.command("open"))
    .summary("open the web page")
    .description(
      "Opens the web page in the browser, logged in by a fresh link: all runs or, if a run is named, that run.\n" +
        "The page comes from the server of the data directory. If none runs, a terminal serves it itself until Ctrl-C.",
    )
    .argument("[run]", RUN)
    .option("--print", "print the link and open nothing")
    .option("--phone", "print a link and a QR code for a phone in the same network (see `spoor serve --host`)")
    .option("--json", "print the link as JSON and open nothing")
    .action(async (run: string | undefined, options: OpenOptions) =>
      (await import("../actions/open.ts")).openPage(run, options, io),
    );
}

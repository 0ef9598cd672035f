import type { Command } from "commander";
import type { McpOptions } from "../actions/mcp.ts";
import { count } from "../flags/numbers.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

/** `spoor mcp`: the log for agents, as a server of the Model Context Protocol. */
export function registerMcp(program: Command, io: Io): void {
  withData(program.command("mcp"))
    .summary("let agents read the log, as an MCP server")
    .description(
      "Serves the log to agents over the Model Context Protocol, on standard input and output or over HTTP.\n" +
        "Agents list and search runs, read them at any granularity, and see diffs, costs and open approvals.\n" +
        "They can change nothing unless --allow-commands is given. Works with and without a running server.",
    )
    .option(
      "--allow-commands",
      "also let agents start tasks, go on from runs, send texts, cancel and pause runs, and answer approvals",
    )
    .option("--http", "serve streamable HTTP on this machine instead of standard input and output")
    .option("--port <n>", "with --http: the port; 0 is any free port (default: 8766)", count("--port", 0, 65_535))
    .option("--json", "with --http: print the address as JSON")
    .action(async (options: McpOptions) => (await import("../actions/mcp.ts")).serveMcp(options, io));
}

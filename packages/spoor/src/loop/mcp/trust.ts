import { hunkText } from "../../runtime/artifacts/diff-text.ts";
import { hunksBetween } from "../../runtime/artifacts/hunks.ts";
import { type ApprovedServer, type ApprovedTool, approveServer, findServer } from "../../runtime/policy/mcp-trust.ts";
import { bareSchema, type Definition, definitionText } from "./definitions.ts";

/** What the user approved of one server, as far as a run knows. */
export interface ServerTrust {
  /** Says how a tool differs from what was approved; undefined if it does not. */
  differenceOf(definition: Definition): Difference | undefined;
  /** Remembers what a server offers when it is connected for the first time. */
  pin(definitions: readonly Definition[]): void;
  /** Remembers one tool that a person approved. */
  approve(definition: Definition): void;
}

/** How a tool differs from what was approved. */
export interface Difference {
  /** A sentence for people. */
  reason: string;
  /** The change of what the model reads, as a unified diff. */
  diff: string;
  /** What the model reads until the change is approved. */
  shown: Pick<Definition, "description" | "schema">;
}

/**
 * Compares the tools of a server with those that were approved. Where everything is approved without asking, nothing is
 * remembered, and only what somebody approved before can differ.
 */
export function openTrust(
  directory: string,
  server: Pick<ApprovedServer, "name" | "sha256" | "launch">,
  isAutomatic: boolean,
): ServerTrust {
  const { name, sha256 } = server;
  const read = (): ApprovedServer | undefined => findServer(directory, name, sha256);
  const write = (tools: Readonly<Record<string, ApprovedTool>>): void =>
    approveServer(directory, { approved_at: new Date().toISOString(), ...server, ...read(), tools });
  let approved = read()?.tools;

  return {
    differenceOf(definition) {
      if (approved === undefined) return undefined;
      const before = Object.hasOwn(approved, definition.tool) ? approved[definition.tool] : undefined;
      if (before?.sha256 === definition.sha256) return undefined;
      const { tool } = definition;
      const reason = before
        ? `The MCP server ${name} changed the description of its tool ${tool} since it was approved.`
        : `The MCP server ${name} offers a new tool, ${tool}, since it was approved.`;
      const unread = `A new tool of the MCP server ${name}. Its description is shown when a person has approved it.`;
      const shown = before ?? { description: unread, schema: bareSchema(definition) };
      return { reason, diff: diffOf(tool, before, definition), shown };
    },
    pin(definitions) {
      if (isAutomatic || approved !== undefined) return;
      approved = Object.fromEntries(definitions.map((each) => [each.tool, approvedTool(each)]));
      write(approved);
    },
    approve(definition) {
      approved = { ...read()?.tools, ...approved, [definition.tool]: approvedTool(definition) };
      write(approved);
    },
  };
}

const approvedTool = ({ sha256, description, schema }: Definition): ApprovedTool => ({ sha256, description, schema });

function diffOf(tool: string, before: ApprovedTool | undefined, after: Definition): string {
  const [old, now] = [before && Buffer.from(definitionText(before)), Buffer.from(definitionText(after))];
  const name = tool.replaceAll(/[^\w.-]/g, "_");
  const head = `--- ${old ? `a/${name}` : "/dev/null"}\n+++ b/${name}\n`;
  return head + Buffer.concat(hunksBetween(old, now).map(hunkText)).toString("utf8");
}

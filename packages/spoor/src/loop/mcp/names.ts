import { createHash } from "node:crypto";

/** The longest name of a tool that every provider takes. */
const MAX_LENGTH = 64;

/**
 * The name under which the model knows the tool of a server: `mcp__server__tool`. Characters that some provider refuses
 * are replaced and long names are shortened; a hash of the whole name keeps such names apart. The same tool has the same
 * name in every run, so that a stored conversation can be sent again.
 */
export function mcpToolName(server: string, tool: string): string {
  const whole = `mcp__${server}__${tool}`;
  if (whole.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(whole)) return whole;
  const mark = `_${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
  return `${whole.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_LENGTH - mark.length)}${mark}`;
}

/** Says what is wrong with the name of a server; undefined if it can be a part of a tool's name. */
export function serverNameProblem(server: string): string | undefined {
  if (server.includes("__"))
    return `The name "${server}" holds "__", which separates a server from its tools. Rename the server.`;
  if (server.length > MAX_SERVER_LENGTH)
    return `The name "${server}" is longer than ${MAX_SERVER_LENGTH} characters. Rename the server.`;
  return undefined;
}

const MAX_SERVER_LENGTH = 32;

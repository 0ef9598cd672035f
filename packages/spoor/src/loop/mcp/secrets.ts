import type { GivenSecret } from "../../runtime/redaction/index.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";

/** The values that `$NAME` stands for in the servers of a task. They must not reach the log. */
export function serverSecrets(spec: TaskSpec, environment: NodeJS.ProcessEnv): GivenSecret[] {
  return textsIn(spec.mcp_servers ?? []).flatMap((text) => {
    const name = /^(?:Bearer )?\$(\w+)$/.exec(text)?.[1];
    const value = name === undefined ? undefined : environment[name];
    return name === undefined || value === undefined || value.length < 8 ? [] : [{ name, value }];
  });
}

/** All texts in the description of a server: `$NAME` stands for a variable in each of them, also in arguments and addresses. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

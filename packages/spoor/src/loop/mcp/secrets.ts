import type { GivenServer } from "../../runtime/policy/mcp-server.ts";
import type { GivenSecret } from "../../runtime/redaction/index.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";

/** The values that `$NAME` stands for in the servers of a task. They must not reach the log. */
export function serverSecrets(spec: TaskSpec, environment: NodeJS.ProcessEnv): GivenSecret[] {
  const texts = ((spec.mcp_servers ?? []) as readonly GivenServer[]).flatMap((server) =>
    Object.values(("url" in server ? server.headers : server.env) ?? {}),
  );
  return texts.flatMap((text) => {
    const name = /^(?:Bearer )?\$(\w+)$/.exec(text)?.[1];
    const value = name === undefined ? undefined : environment[name];
    return name === undefined || value === undefined || value.length < 8 ? [] : [{ name, value }];
  });
}

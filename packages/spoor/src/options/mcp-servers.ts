import {
  anyText,
  type Check,
  either,
  flag,
  listOf,
  mapOf,
  matching,
  objectOf,
  oneOf,
  text,
  typed,
  whole,
} from "./checks.ts";

const name = matching(/^[A-Za-z0-9_-]+$/, "letters, digits, _ and -");

const limits = { readonly: either(flag, listOf(text, "true, false or a list of tools")), timeout: whole(1) };

const localServer = objectOf(
  { name, transport: oneOf("stdio"), command: text, args: listOf(anyText), env: mapOf(anyText), ...limits },
  ["name", "command"],
);

const remoteServer = objectOf(
  {
    name,
    transport: oneOf("sse", "streamable-http"),
    url: matching(/^https?:\/\//, "an http or https address"),
    headers: mapOf(anyText),
    ...limits,
  },
  ["name", "url", "transport"],
);

/** A server with a `url` is remote; any other one is started by its `command`. */
export const mcpServer: Check = typed("McpServer | RemoteMcpServer", (value, field) =>
  (typeof value === "object" && value !== null && "url" in value ? remoteServer : localServer)(value, field),
);

import { expect, it } from "vitest";
import { serverSecrets } from "./secrets.ts";

it("finds the variables in the whole description of a server", () => {
  const environment = { ONE: "first-secret", TWO: "second-secret", THREE: "https://x.test/key", FOUR: "fourth-secret" };
  const mcp_servers = [
    { name: "near", command: "server", args: ["--token", "$ONE"], env: { TOKEN: "$TWO", HOME: "/tmp" } },
    { name: "far", url: "$THREE", headers: { Authorization: "Bearer $FOUR", Other: "$ABSENT" } },
  ];
  const found = serverSecrets({ kind: "agent_loop", mcp_servers } as never, environment);
  expect(found).toEqual(Object.entries(environment).map(([name, value]) => ({ name, value })));
});

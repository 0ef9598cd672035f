import { SpoorClientError } from "@spoor/protocol/client";
import { expect, it } from "vitest";
import { createPatchRequests } from "./patch-requests.ts";

const refused = (code: string) => new SpoorClientError(code, `refused: ${code}`, { retryable: false, hint: "Wait." });

it("a request is sending until its result is shown, and a second press meanwhile does nothing", async () => {
  const requests = createPatchRequests();
  const settled = Promise.withResolvers<void>();
  let sent = 0;
  const ask = () =>
    requests.ask("a", { verb: "apply", hunk: 1, send: async () => (sent += 1), settled: () => settled.promise });
  const first = ask();
  await ask();
  expect(sent).toBe(1);
  expect(requests.read("a")).toEqual({ phase: "sending", verb: "apply", hunk: 1 });
  settled.resolve();
  await first;
  expect(requests.read("a")).toBeUndefined();
});

it("a conflict and a refusal stay until they are dismissed or tried again", async () => {
  const requests = createPatchRequests();
  const ask = (error?: unknown) =>
    requests.ask("a", {
      verb: "revert",
      send: async () => {
        if (error) throw error;
      },
      settled: async () => {},
    });
  await ask(refused("conflict"));
  expect(requests.read("a")).toMatchObject({ phase: "conflict", verb: "revert" });
  await ask(refused("workspace_busy"));
  expect(requests.read("a")).toMatchObject({ phase: "failed", told: expect.stringContaining("A run works") });
  await ask(refused("odd"));
  expect(requests.read("a")?.told).toBe("refused: odd Wait.");
  requests.dismiss("a");
  expect(requests.read("a")).toBeUndefined();
  await ask(refused("conflict"));
  await ask();
  expect(requests.read("a")).toBeUndefined();
});

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client, Request } from "./seed-client.ts";
import { type Served, serveAcolyte } from "./served.ts";

let served: Served;
beforeAll(async () => {
  served = await serveAcolyte();
}, 60_000);
afterAll(() => served?.remove());

interface Step {
  connection: 0 | 1;
  act: "talk" | "hang" | "bad" | "abort" | "close";
  which: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  connection: fc.constantFrom(0, 1),
  act: fc.constantFrom("talk", "hang", "bad", "abort", "abort", "close"),
  which: fc.nat(9),
});

it("over random scripts of starts, aborts and closes, each request ends exactly once", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (script) => {
      const clients = [await served.connect(), await served.connect()];
      const requests = clients.map((): Request[] => []);
      const closed = new Set<number>();
      for (const { connection, act, which } of script) {
        const client = clients[connection] as Client;
        const mine = requests[connection] as Request[];
        if (closed.has(connection)) continue;
        if (act === "close") {
          closed.add(connection);
          client.close();
        } else if (act === "abort") {
          const target = mine[which % Math.max(mine.length, 1)];
          if (target) await client.abort(target.id);
        } else mine.push(client.start(act === "bad" ? { message: 7 } : served.ask(act)));
      }
      for (const [index, client] of clients.entries()) {
        const mine = requests[index] as Request[];
        if (!closed.has(index)) for (const { id } of mine.toReversed()) await client.abort(id);
        // A client that closes may be gone before its last messages arrive.
        if (!closed.has(index)) for (const { ended } of mine) await ended;
        client.close();
        await client.closed;
        expect(client.violations).toEqual([]);
        for (const { messages } of mine) {
          const ends = messages.filter(({ type }) => type === "chat.done" || type === "chat.error").length;
          expect(closed.has(index) ? Math.max(ends, 1) : ends).toBe(1);
        }
      }
      // Nothing of a closed connection goes on.
      await expect.poll(async () => (await served.get("/v1/status")).tasks_running, { timeout: 30_000 }).toBe(0);
      expect(await served.get("/v1/status")).toMatchObject({ rpc_queue_length: 0 });
    }),
    { numRuns: 3 },
  );
});

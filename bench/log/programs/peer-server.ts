// The reference server of Durable Streams, in file mode.

import { answer } from "./answer.ts";

const [dataDir = ""] = process.argv.slice(2);
// The package is installed on demand, so its types are not available to the compiler.
const peer = "@durable-streams/server";
const { DurableStreamTestServer } = await import(peer);
const server = new DurableStreamTestServer({ port: 0, host: "127.0.0.1", dataDir, compression: false });
const url: string = await server.start();

answer({
  async create(path: string) {
    const { ok } = await fetch(url + path, { method: "PUT", headers: { "content-type": "application/json" } });
    if (!ok) throw new Error(`No stream at ${path}.`);
  },
  url: () => url,
});

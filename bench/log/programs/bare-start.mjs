// The smallest program that answers over HTTP.
import { createServer } from "node:http";

const server = createServer((_, response) => response.end("ok\n")).listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});

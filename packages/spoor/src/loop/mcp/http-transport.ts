import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { MAX_MESSAGE_BYTES, tooLarge } from "./limits.ts";

/** How long a server may take to end its session. */
const END_MS = 1_000;

/** Makes a connection over streamable HTTP. Redirects to other origins are refused, and long answers are cut off. */
export async function createHttpTransport(url: string, headers: Readonly<Record<string, string>>): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (target, init) => limited(await fetch(target, init)),
    // The same server stays the same only as long as its address does.
    redirectPolicy: "same-origin",
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_MS);
    });
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
    clearTimeout(timer);
    await close();
  };
  return transport as Transport;
}

/** The same response, but reading it fails when one message is too long. */
function limited(response: Response): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let size = 0;
  let isLineEmpty = true;
  const count = (bytes: Uint8Array): void => {
    if (!isStream) size += bytes.length;
    else
      for (const byte of bytes) {
        size += 1;
        if (byte !== LF && byte !== CR) isLineEmpty = false;
        else if (byte === LF) {
          // An empty line ends a message.
          if (isLineEmpty) size = 0;
          isLineEmpty = true;
        }
      }
    if (size > MAX_MESSAGE_BYTES) throw new Error(tooLarge);
  };
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url });
}

const LF = 0x0a;
const CR = 0x0d;

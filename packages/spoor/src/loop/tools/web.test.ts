import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openToolbox, type ToolboxOptions } from "../../../testing/loop/toolbox.ts";
import { refusalOfAddress } from "../../runtime/policy/addresses.ts";
import { createHttpRequest } from "./http-request.ts";
import { searchProviders } from "./web/search-providers.ts";
import { createWebFetch } from "./web-fetch.ts";
import { createWebSearch } from "./web-search.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on this machine, and what was asked of it. */
async function serve(handler: Handler = (_, response) => response.end("hello")) {
  const seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, seen };
}

/** Every name leads to this machine. */
const local = async () => [{ address: "127.0.0.1", family: 4 }];

async function openWeb(options: ToolboxOptions & { resolve?: typeof local } = {}) {
  const { resolve = local, ...rest } = options;
  const web = { resolve };
  return openToolbox({ tools: [createHttpRequest(web), createWebFetch(web), createWebSearch(web)], ...rest });
}

describe("http_request", () => {
  it("returns status, headers and body, and tells the request before it and the response after it", async () => {
    const { port, seen } = await serve((_, response) => {
      response.writeHead(201, { "content-type": "application/json", "set-cookie": "id=1" });
      response.end('{"ok":true}');
    });
    const box = await openWeb({ rules: `allow host api.test:${port}` });
    const url = `http://api.test:${port}/v1?q=1#part`;
    const input = {
      url,
      method: "POST",
      headers: { Authorization: "Bearer abc", "content-type": "text/plain" },
      body: "é",
    };
    const { result, events, kept } = await box.call("http_request", input);
    expect(seen).toMatchObject([
      { method: "POST", url: "/v1?q=1", body: "é", headers: { authorization: "Bearer abc", host: `api.test:${port}` } },
    ]);
    expect(result.output).toContain(`HTTP 201 Created from http://api.test:${port}/v1?q=1`);
    expect(result.output).toContain('{"ok":true}');
    expect(result.output).not.toContain("set-cookie");
    expect(kept).toMatchObject([{ kind: "fetched_resource", mime: "application/json" }]);
    expect(events).toEqual([
      [
        "tool.http.requested",
        {
          ...{ tool_call_id: "call-1", method: "POST", url: `http://api.test:${port}/v1?q=1` },
          header_keys: ["user-agent", "accept", "accept-encoding", "Authorization", "content-type"],
        },
      ],
      [
        "tool.http.response",
        {
          tool_call_id: "call-1",
          status: 201,
          duration_ms: expect.any(Number),
          body_truncated: false,
          body_artifact_id: "art_1",
        },
      ],
    ]);
    expect(JSON.stringify(events)).not.toContain("Bearer");
    expect(box.actions("http_request", input)).toEqual([
      { subject: "host", cwd: box.root, tool: "http_request", host: `api.test:${port}` },
    ]);
  });

  it("reads no more of a body than its limit, also of one that was packed to be small", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 ** 2));
    expect(bomb.length).toBeLessThan(1024 ** 2);
    const { port } = await serve((request, response) => {
      response.setHeader("content-type", "text/plain");
      if (request.url === "/bomb") response.setHeader("content-encoding", "gzip");
      response.end(request.url === "/bomb" ? bomb : "x".repeat(6 * 1024 ** 2));
    });
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    for (const path of ["plain", "bomb"]) {
      const { result, events, kept } = await box.call("http_request", { url: `http://a.test:${port}/${path}` });
      expect(result.output).toContain("The body is larger than 5242880 bytes");
      expect(kept[0]?.bytes).toHaveLength(5 * 1024 ** 2);
      expect(events.at(-1)?.[1]).toMatchObject({ body_truncated: true });
      expect(result.output.length).toBeLessThan(64 * 1024);
    }
  });

  it("explains what went wrong: time, connection, packing, headers, binary bodies", async () => {
    const { port } = await serve((request, response) => {
      if (request.url === "/slow") return;
      if (request.url === "/odd") response.setHeader("content-encoding", "zip");
      if (request.url === "/bad") response.setHeader("content-encoding", "gzip");
      if (request.url === "/cut") {
        response.setHeader("content-length", "100");
        response.write("x");
        request.socket.destroy();
        return;
      }
      response.setHeader("content-type", "image/png");
      response.end("not packed");
    });
    const box = await openWeb({ rules: `allow host a.test:${port} a.test:1` });
    const url = (path: string) => ({ url: `http://a.test:${port}/${path}` });
    const slow = await box.call("http_request", { ...url("slow"), timeout_ms: 200 });
    expect([slow.result.outcome, slow.result.error]).toEqual(["timed_out", "a.test did not answer within 0.2 s."]);
    expect(slow.events.map(([type]) => type)).toEqual(["tool.http.requested"]);
    expect(await box.error("http_request", { url: "http://a.test:1/" })).toBe("a.test:1 refused the connection.");
    expect(await box.error("http_request", url("odd"))).toContain("cannot be unpacked: zip");
    expect(await box.error("http_request", url("bad"))).toContain("damaged");
    expect(await box.error("http_request", url("cut"))).toContain("closed the connection");
    expect(await box.output("http_request", url("image"))).toContain("[10 bytes of image/png, kept as art_1]");
    expect(await box.error("http_request", { ...url("x"), headers: { Host: "b" } })).toContain("cannot be set");
    expect(await box.error("http_request", { ...url("x"), headers: { "a b": "c" } })).toContain("no name of a header");
    expect(await box.error("http_request", { ...url("x"), headers: { a: "b\r\nc: d" } })).toContain("not allowed");
    expect(await box.error("http_request", { ...url("x"), body: "x" })).toBe("A GET has no body.");
    expect(await box.error("http_request", { ...url("x"), method: "TRACE" })).toContain('"method"');
  });

  it("does not wait longer than its time for a name server", async () => {
    const box = await openWeb({ rules: "allow host a.test", resolve: () => new Promise(() => {}) });
    const { result, events } = await box.call("http_request", { url: "http://a.test/", timeout_ms: 50 });
    expect([result.outcome, events]).toEqual(["timed_out", []]);
  });

  it("is cancelled with its call", async () => {
    const { port, seen } = await serve(() => {});
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    const stop = new AbortController();
    const calling = box.call("http_request", { url: `http://a.test:${port}/` }, stop.signal);
    await expect.poll(() => seen.length).toBe(1);
    stop.abort();
    expect((await calling).result.outcome).toBe("cancelled");
  });
});

describe("redirects", () => {
  const redirecting =
    (to: string, status = 302): Handler =>
    (request, response) => {
      if (request.url === "/") response.writeHead(status, { location: to });
      response.end("arrived");
    };

  it("are followed to the same host, and each is told", async () => {
    const { port, seen } = await serve(redirecting("/next"));
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    const { result, events } = await box.call("http_request", {
      url: `http://a.test:${port}/`,
      method: "POST",
      body: "x",
    });
    expect(seen.map(({ method, url }) => [method, url])).toEqual([
      ["POST", "/"],
      ["GET", "/next"],
    ]);
    expect(result.output).toContain("arrived");
    expect(events.map(([type, data]) => [type, data.status])).toEqual([
      ["tool.http.requested", undefined],
      ["tool.http.response", 302],
      ["tool.http.requested", undefined],
      ["tool.http.response", 200],
    ]);
  });

  it("go to another host only if a rule allows it, and without secrets", async () => {
    const { port, seen } = await serve((request, response) => {
      if (request.url === "/b") response.writeHead(302, { location: `http://b.test:${port}/end` });
      if (request.url === "/c") response.writeHead(302, { location: `http://c.test:${port}/end` });
      response.end();
    });
    const box = await openWeb({ rules: `allow host a.test:${port} b.test:${port}` });
    const headers = { Authorization: "Bearer abc", Cookie: "a=b", "X-Key": "k", "Accept-Language": "en" };
    await box.output("http_request", { url: `http://a.test:${port}/b`, headers });
    expect(seen.at(-1)?.headers).toMatchObject({ host: `b.test:${port}`, "accept-language": "en" });
    for (const name of ["authorization", "cookie", "x-key"]) expect(seen.at(-1)?.headers).not.toHaveProperty(name);
    const count = seen.length;
    const output = await box.output("http_request", { url: `http://a.test:${port}/c`, headers });
    expect(output).toContain(
      `It redirects to http://c.test:${port}/end, which was not followed: no rule allows c.test:${port}`,
    );
    expect(await box.error("web_fetch", { url: `http://a.test:${port}/c` })).toContain("was not followed");
    expect(seen).toHaveLength(count + 2);
    const posted = await box.output("http_request", { url: `http://a.test:${port}/b`, method: "POST", body: "secret" });
    expect(posted).toContain("a POST is not sent to another host");
  });

  it("end after five", async () => {
    const { port, seen } = await serve((request, response) => {
      response.writeHead(302, { location: `/${Number(request.url?.slice(1)) + 1}` });
      response.end();
    });
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    expect(await box.output("http_request", { url: `http://a.test:${port}/0` })).toContain("more than 5 redirects");
    expect(seen).toHaveLength(6);
  });

  it.each([
    ["the metadata service", "http://169.254.169.254/latest/meta-data/"],
    ["this machine by number", "http://2130706433:{port}/"],
    ["this machine by name", "http://localhost:{port}/"],
    ["a private network", "http://10.0.0.1/"],
    ["an IPv4 address in IPv6", "http://[::ffff:127.0.0.1]:{port}/"],
    ["another protocol", "file:///etc/passwd"],
    ["a password", "http://user:pass@a.test:{port}/"],
  ])("to %s are refused, even if a pattern allows every host (E2)", async (_, to) => {
    const { port, seen } = await serve((_request, response) => {
      response.writeHead(302, { location: to.replace("{port}", String(port)) });
      response.end();
    });
    const box = await openWeb({ rules: `allow host a.test:${port}\nallow host *` });
    expect(await box.error("http_request", { url: `http://a.test:${port}/` })).toBeTruthy();
    expect(await box.error("web_fetch", { url: `http://a.test:${port}/` })).toBeTruthy();
    expect(seen).toHaveLength(2);
  });
});

describe("addresses that are not public", () => {
  it.each([
    ...["127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...[
      "100.64.0.1",
      "169.254.169.254",
      "168.63.129.16",
      "100.100.100.200",
      "224.0.0.1",
      "255.255.255.255",
      "240.0.0.1",
    ],
    ...["192.0.0.192", "198.18.0.1", "203.0.113.5", "::", "::1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::808:808"],
    ...[
      "64:ff9b:1::1",
      "2002:7f00:1::",
      "2001::1",
      "2001:db8::1",
      "fe80::1",
      "fec0::1",
      "fc00::1",
      "fd00:ec2::254",
      "ff02::1",
    ],
    ...["100::1", "4000::1", "not an address"],
  ])("are recognised: %s (E2)", (address) => {
    expect(refusalOfAddress(address)).toBeDefined();
  });

  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"])(
    "do not include %s",
    (address) => {
      expect(refusalOfAddress(address)).toBeUndefined();
    },
  );

  it.each([
    ...["http://127.0.0.1:{port}/", "http://127.1:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/"],
    ...["http://0177.0.0.1:{port}/", "http://[::1]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://0:{port}/"],
    ...[
      "http://localhost:{port}/",
      "http://LOCALHOST.:{port}/",
      "http://x.localhost:{port}/",
      "http://①②⑦.0.0.1:{port}/",
    ],
    ...["http://127.0.0.1%2f@a.test:{port}/", "http://a.test:x@127.0.0.1:{port}/", "http://a.test\\@127.0.0.1:{port}/"],
    ...[
      "http://a.test\0.evil.test:{port}/",
      "http://a.test%00.evil.test:{port}/",
      "http://a.test \t:{port}/",
      "//a.test/",
      "a.test",
    ],
    ...[
      "ftp://a.test/",
      "file:///etc/passwd",
      "unix:/var/run/docker.sock",
      "data:text/plain,x",
      "http://169.254.169.254/",
    ],
    ...["http://[fe80::1%25lo]:{port}/", "http://metadata.test:{port}/", "http://rebound.test:{port}/"],
  ])("are refused in every form, and nothing is sent: %j (E3)", async (written) => {
    const { port, seen } = await serve();
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const box = await openWeb({ rules: "allow host *\nallow host **", yolo: true, resolve });
    for (const tool of ["http_request", "web_fetch"]) {
      const { result, events } = await box.call(tool, { url: written.replace("{port}", String(port)) });
      expect(result.error, tool).toBeTruthy();
      expect(events).toEqual([]);
    }
    expect(seen).toEqual([]);
  });

  it("are opened by a rule of the user or the task that names them, and by nothing else (E2)", async () => {
    const { port, seen } = await serve();
    const url = `http://127.0.0.1:${port}/`;
    const rule = `allow host 127.0.0.1:${port}`;
    const isOpen = async (options: ToolboxOptions, to = url) =>
      (await (await openWeb(options)).call("http_request", { url: to })).result.error === undefined;
    expect(await isOpen({ rules: rule })).toBe(true);
    expect(await isOpen({ taskRules: [rule] })).toBe(true);
    expect(await isOpen({ rules: "allow host 127.0.0.0/8" })).toBe(true);
    expect(await isOpen({ rules: `allow host {a.test,127.0.0.1}:*` })).toBe(true);
    expect(await isOpen({ rules: `allow host in.test` }, `http://in.test:${port}/`)).toBe(true);
    expect(seen).toHaveLength(5);
    expect(await isOpen({ projectRules: rule, yolo: true })).toBe(false);
    expect(await isOpen({ yolo: true })).toBe(false);
    expect(await isOpen({ rules: "allow host *" })).toBe(false);
    expect(await isOpen({ rules: "allow host 127.*" })).toBe(false);
    expect(await isOpen({ rules: `allow host 127.0.0.1:${port + 1}` })).toBe(false);
    expect(await isOpen({ rules: `always block host 127.0.0.1\n${rule}` })).toBe(false);
    expect(seen).toHaveLength(5);
  });

  it("of a metadata service are not opened by a rule for a name (E2)", async () => {
    const resolve = async () => [{ address: "169.254.169.254", family: 4 }];
    const box = await openWeb({ rules: "allow host in.test", resolve });
    expect(await box.error("http_request", { url: "http://in.test/" })).toContain("a link-local address");
  });

  it("cannot come in between the check and the connection: a name is resolved once for each request (E3)", async () => {
    const { port, seen } = await serve();
    const answers = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
    let count = 0;
    const resolve = async () => [{ address: answers[count++] ?? "", family: 4 }];
    const box = await openWeb({ rules: `allow host in.test:${port}`, resolve });
    await box.output("http_request", { url: `http://in.test:${port}/` });
    expect([count, seen.length]).toEqual([1, 1]);
  });

  it("are never reached through a proxy of the environment (E3)", async () => {
    const proxy = await serve();
    const { port, seen } = await serve();
    const box = await openWeb({
      rules: `allow host in.test:${port}`,
      environment: { http_proxy: `http://127.0.0.1:${proxy.port}`, NODE_USE_ENV_PROXY: "1" },
    });
    await box.output("http_request", { url: `http://in.test:${port}/` });
    expect([seen.length, proxy.seen.length]).toEqual([1, 0]);
  });
});

describe("web_fetch", () => {
  const page =
    (html: string | Buffer, type = "text/html; charset=utf-8"): Handler =>
    (_, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(html);
    };

  it("returns the text of a page as Markdown and keeps both", async () => {
    const html = `<html><head><title>A page</title><style>p{}</style><script>alert("never")</script></head>
      <body><h1>Hello</h1><p>Some <b>text</b> and <a href="/more">a link</a>, <a href="javascript:x()">no link</a>.</p>
      <img src="http://beacon.test/x" alt="a picture"><pre><code>let x;</code></pre></body></html>`;
    const { port } = await serve(page(html));
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    const { result, events, kept } = await box.call("web_fetch", { url: `http://a.test:${port}/` });
    expect(result.output).toContain("Title: A page");
    expect(result.output).toContain(`# Hello\n\nSome **text** and [a link](http://a.test:${port}/more), no link.`);
    expect(result.output).toContain("[image: a picture]");
    expect(result.output).toContain("```\nlet x;\n```");
    for (const gone of ["never", "beacon", "javascript", "p{}"]) expect(result.output).not.toContain(gone);
    expect(kept).toMatchObject([{ mime: "text/html" }, { kind: "fetched_resource", mime: "text/markdown" }]);
    expect(events.map(([type]) => type)).toEqual(["tool.web_fetch.requested", "tool.web_fetch.response"]);
    expect(events[1]?.[1]).toMatchObject({
      status: 200,
      body_artifact_id: "art_1",
      extracted_text_artifact_id: "art_2",
    });
  });

  it.each([
    ["text as it is", "plain < text", "text/plain", "plain < text"],
    ["JSON as it is", '{"a":1}', "application/json", '{"a":1}'],
    ["other character sets", Buffer.from([0xe9]), "text/plain; charset=iso-8859-1", "é"],
  ])("returns %s", async (_, body, type, expected) => {
    const { port } = await serve(page(body, type));
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    expect(await box.output("web_fetch", { url: `http://a.test:${port}/` })).toContain(expected);
  });

  it("explains what is no page", async () => {
    const { port } = await serve((request, response) => {
      response.writeHead(request.url === "/none" ? 404 : 200, { "content-type": "application/pdf" });
      response.end("%PDF");
    });
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    const missing = await box.call("web_fetch", { url: `http://a.test:${port}/none` });
    expect(missing.result.error).toContain("answered with 404");
    expect(missing.events.at(-1)).toMatchObject(["tool.web_fetch.response", { status: 404 }]);
    expect(await box.error("web_fetch", { url: `http://a.test:${port}/x` })).toContain(
      "application/pdf of 4 bytes, which is no text",
    );
  });

  it("survives a page that is nested too deeply, and goes on answering (H3)", { timeout: 60_000 }, async () => {
    const { port } = await serve(page("<div>".repeat(200_000)));
    const box = await openWeb({ rules: `allow host a.test:${port}` });
    const { result } = await box.call("web_fetch", { url: `http://a.test:${port}/` });
    expect(result.error === undefined || /memory|complicated/.test(result.error)).toBe(true);
  });
});

describe("web_search", () => {
  const answer =
    (body: object): Handler =>
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };

  it("says that no service is configured, as an event and to the model, and needs no permission for it", async () => {
    const box = await openWeb();
    const { result, events } = await box.call("web_search", { query: "x" });
    expect(events).toEqual([["error.tool_unavailable", { tool_name: "web_search", reason: "no_provider_configured" }]]);
    expect(result.error).toContain("BRAVE_API_KEY, TAVILY_API_KEY, SEARXNG_URL");
    expect(box.actions("web_search", { query: "x" })).toEqual([]);
  });

  it("asks a service of the user's own, which may be private, and tells the hits", async () => {
    const results = [
      { title: "One <b>page</b>", url: "https://one.test/", content: "about\n one" },
      { title: 3, url: "https://two.test/" },
      { title: "no address" },
    ];
    const { port, seen } = await serve(answer({ results }));
    const box = await openWeb({ environment: { SEARXNG_URL: `http://127.0.0.1:${port}/` } });
    const { result, events, kept } = await box.call("web_search", { query: "a & b" });
    expect(seen[0]?.url).toBe("/search?q=a+%26+b&format=json");
    expect(result.output).toBe(
      "1. One page\n   https://one.test/\n   about one\n2. https://two.test/\n   https://two.test/",
    );
    expect(events.map(([type]) => type)).toEqual(["tool.web_search.requested", "tool.web_search.response"]);
    expect(events[0]?.[1]).toMatchObject({ query: "a & b", method: "GET" });
    expect(events[1]?.[1]).toMatchObject({ status: 200, hits: [{ title: "One page" }, {}], body_artifact_id: "art_1" });
    expect(kept).toMatchObject([{ kind: "search_results", mime: "application/json" }]);
    expect(box.actions("web_search", { query: "x" })).toMatchObject([{ subject: "host", host: `127.0.0.1:${port}` }]);
  });

  it.each([
    [
      "BRAVE_API_KEY",
      { web: { results: [{ title: "T", url: "https://t.test/", description: "D" }] } },
      "x-subscription-token",
    ],
    ["TAVILY_API_KEY", { results: [{ title: "T", url: "https://t.test/", content: "D" }] }, "authorization"],
  ])("asks the service of %s with its key, which is nowhere in events and results", async (variable, body, header) => {
    const { port, seen } = await serve(answer(body));
    const providers = searchProviders.map((provider) => ({
      ...provider,
      request: (query: string, count: number, key: string) => {
        const { url, ...rest } = provider.request(query, count, key);
        const { pathname, search } = new URL(url);
        return { ...rest, url: `http://search.test:${port}${pathname}${search}` };
      },
    }));
    const tools = [createWebSearch({ providers, resolve: local })];
    const box = await openToolbox({
      tools,
      rules: `allow host search.test:${port}`,
      environment: { [variable]: "key-123" },
    });
    const called = await box.call("web_search", { query: "q", count: 3 });
    expect(called.result.output).toBe("1. T\n   https://t.test/\n   D");
    expect(seen[0]?.headers[header]).toContain("key-123");
    expect(JSON.stringify(called)).not.toContain("key-123");
  });

  it("names the variable when the key is refused, and survives answers that make no sense", async () => {
    let status = 401;
    const { port } = await serve((_, response) => {
      response.statusCode = status;
      response.end("<html>");
    });
    const box = await openWeb({ environment: { SEARXNG_URL: `http://127.0.0.1:${port}` } });
    expect(await box.error("web_search", { query: "x" })).toContain("Check SEARXNG_URL");
    status = 200;
    expect(await box.error("web_search", { query: "x" })).toContain("no JSON");
    const broken = await openWeb({ environment: { SEARXNG_URL: "nonsense" } });
    expect(await broken.error("web_search", { query: "x" })).toContain("no URL");
  });
});

import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, startRun, TOKEN } from "../../testing/server/serve.ts";
import { refused } from "../../testing/server/test-websocket.ts";
import { unbracketed } from "./http/allowed-hosts.ts";
import { tokenOf } from "./http/token.ts";
import { createServer } from "./server.ts";

const bearer = { authorization: `Bearer ${TOKEN}` };

/** Sends raw bytes and returns the answer's status, headers and body. */
async function raw(url: string, text: string): Promise<{ status: number; text: string }> {
  const socket = dial(Number(new URL(url).port), "127.0.0.1");
  socket.end(text.replaceAll("\n", "\r\n"));
  let answer = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), text: answer };
}

/** Opens a login link and returns the cookie it sets. */
async function login(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual" });
  expect(response.status).toBe(303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("without the token", () => {
  it("only the health routes answer, and no WebSocket opens (A1)", async () => {
    const { server, log } = await serve();
    const run = await startRun(log);
    const api = (await (await fetch(`${server.url}/openapi.json`, { headers: bearer })).json()) as {
      paths: Record<string, Record<string, { security?: unknown[] }>>;
    };
    for (const [route, methods] of Object.entries(api.paths)) {
      const target = route.replace("{run_id}", run.run_id).replace("{task_id}", run.task_id).replace("{code}", "guess");
      for (const method of Object.keys(methods)) {
        for (const prefix of target.startsWith("/v1") ? ["", "/hecate"] : [""]) {
          const response = await fetch(server.url + prefix + target, {
            method: method.toUpperCase(),
            redirect: "manual",
            headers: { "content-type": "application/json", accept: "text/event-stream" },
            ...(method === "post" && { body: "{}" }),
          });
          const expected = { "/healthz": 200, "/readyz": 200, "/login/{code}": 403 }[route] ?? 401;
          expect([method, target, response.status]).toEqual([method, target, expected]);
          await response.body?.cancel();
        }
      }
    }
    expect((await fetch(`${server.url}/nothing`)).status).toBe(401);
    for (const protocols of [[], ["bearer."], ["bearer.wrong"], ["spoor.v1"]]) {
      expect(await refused(server.url, protocols)).toBe(401);
    }
  });

  it.each([
    "Bearer",
    "Bearer ",
    `bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Basic ${TOKEN}`,
    `${TOKEN}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
  ])("the header %s is refused", async (authorization) => {
    const { server } = await serve();
    expect((await fetch(`${server.url}/v1/runs`, { headers: { authorization } })).status).toBe(401);
  });

  it("a token in the URL is ignored", async () => {
    const { server } = await serve();
    for (const target of [`/v1/runs?token=${TOKEN}`, `/login/${TOKEN}`]) {
      expect([401, 403]).toContain((await fetch(server.url + target)).status);
    }
  });

  it("guessing is rate-limited, and the owner is not locked out (A7)", async () => {
    const { server, get } = await serve();
    const guess = async () =>
      (await fetch(`${server.url}/v1/runs`, { headers: { authorization: "Bearer guess" } })).status;
    const answers: number[] = [];
    for (let attempt = 0; attempt < 70; attempt++) answers.push(await guess());
    expect([answers[0], answers.at(-1)]).toEqual([401, 429]);
    expect((await get("/v1/runs")).status).toBe(200);
  });
});

describe("a page of another site", () => {
  it.each([
    "https://evil.test",
    "null",
    "http://localhost.evil.test",
    "http://localhost:1",
    "http://127.0.0.1",
    "file://",
  ])("at %s is refused with cookie and with token, for HTTP and WebSocket (A2, A4)", async (origin) => {
    const { server } = await serve();
    const cookie = await login(server.loginUrl);
    for (const headers of [{ cookie }, bearer]) {
      expect((await fetch(`${server.url}/v1/runs`, { headers: { ...headers, origin } })).status).toBe(403);
    }
    expect(await refused(server.url, [`bearer.${TOKEN}`], { origin })).toBe(403);
    expect(await refused(server.url, [], { origin, headers: { cookie } })).toBe(403);
  });

  it.each(["cross-site", "same-site", "surprise"])("that the browser marks as %s is refused (A6)", async (site) => {
    const { server } = await serve();
    const cookie = await login(server.loginUrl);
    const response = await fetch(`${server.url}/v1/runs`, { headers: { cookie, "sec-fetch-site": site } });
    expect(response.status).toBe(403);
  });

  it("cannot use a browser's cookie: it is accepted only with a sign that the server's own page sent it", async () => {
    const { server, log } = await serve();
    const run = await startRun(log);
    const cookie = await login(server.loginUrl);
    const read = async (headers: object) =>
      (await fetch(`${server.url}/v1/runs`, { headers: { cookie, ...headers } })).status;
    expect(await read({})).toBe(403);
    expect(await read({ "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await read({ "sec-fetch-site": "none" })).toBe(200);
    expect(await read({ origin: server.url })).toBe(200);
    expect(await read({ referer: `${server.url}/page` })).toBe(200);
    expect(await read({ referer: "https://evil.test/" })).toBe(403);
    const write = async (headers: object) =>
      (
        await fetch(`${server.url}/v1/runs/${run.run_id}/events`, {
          method: "POST",
          body: "{}",
          headers: { cookie, "content-type": "application/json", ...headers },
        })
      ).status;
    expect(await write({ "sec-fetch-site": "same-origin" })).toBe(403);
    expect(await write({ origin: server.url, "sec-fetch-site": "same-origin" })).toBe(201);
    expect(await refused(server.url, [], { headers: { cookie } })).toBe(403);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "cannot post what a form can: %s (A6)",
    async (type) => {
      const { server, log } = await serve();
      const run = await startRun(log);
      const response = await fetch(`${server.url}/v1/runs/${run.run_id}/events`, {
        method: "POST",
        body: Buffer.from('{"note":"x"}'),
        headers: { ...bearer, ...(type && { "content-type": type }) },
      });
      expect(response.status).toBe(415);
      expect((await log.run(run.run_id))?.last_sequence).toBe(0);
    },
  );

  it("gets no CORS headers, and cannot frame, sniff or cache an answer", async () => {
    const { get, server } = await serve();
    const preflight = await fetch(`${server.url}/v1/runs`, { method: "OPTIONS", headers: bearer });
    expect(preflight.status).toBe(405);
    for (const response of [preflight, await get("/v1/runs"), await get("/docs"), await get("/nowhere")]) {
      const headers = Object.fromEntries(response.headers);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
        "x-request-id": expect.stringMatching(/^req_/),
      });
    }
  });
});

describe("a Host header that is not allowed", () => {
  it.each([
    "evil.test",
    "evil.test:PORT",
    "0.0.0.0:PORT",
    "localhost",
    "localhost:1",
    "localhost.:PORT",
    "127.0.0.1.evil.test:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "user@localhost:PORT",
    "",
  ])("%s is refused, also with the token (A3)", async (host) => {
    const { server } = await serve();
    const name = host.replace("PORT", new URL(server.url).port);
    const request = `GET /v1/runs HTTP/1.1\nHost: ${name}\nAuthorization: Bearer ${TOKEN}\nConnection: close\n\n`;
    expect((await raw(server.url, request)).status).toBe(403);
    const upgrade = `GET /v1/ws HTTP/1.1\nHost: ${name}\nAuthorization: Bearer ${TOKEN}\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n`;
    expect((await raw(server.url, upgrade)).status).toBe(403);
  });

  it("includes a missing one and two of them (A3)", async () => {
    const { server } = await serve();
    const { host } = new URL(server.url);
    const token = `Authorization: Bearer ${TOKEN}\nConnection: close\n\n`;
    expect((await raw(server.url, `GET /v1/runs HTTP/1.0\n${token}`)).status).toBe(403);
    expect([400, 403]).toContain((await raw(server.url, `GET /v1/runs HTTP/1.1\n${token}`)).status);
    expect([400, 403]).toContain(
      (await raw(server.url, `GET /v1/runs HTTP/1.1\nHost: ${host}\nHost: evil.test\n${token}`)).status,
    );
    expect((await raw(server.url, `GET http://evil.test/v1/runs HTTP/1.1\nHost: ${host}\n${token}`)).status).toBe(400);
  });

  it("does not include any form of localhost", async () => {
    const { server } = await serve();
    const { port } = new URL(server.url);
    for (const name of ["127.0.0.1", "localhost", "LocalHost", "[::1]"]) {
      const request = `GET /v1/runs HTTP/1.1\nHost: ${name}:${port}\nAuthorization: Bearer ${TOKEN}\nConnection: close\n\n`;
      expect([name, (await raw(server.url, request)).status]).toEqual([name, 200]);
    }
  });
});

describe("a host name in allowedHosts", () => {
  it("works for a proxy with TLS, for programs and pages, and for no other name", async () => {
    const { server } = await serve({ allowedHosts: ["Spoor.example", "other.example:8443"] });
    const status = async (host: string, origin?: string) =>
      (
        await raw(
          server.url,
          `GET /v1/runs HTTP/1.1\nHost: ${host}\nAuthorization: Bearer ${TOKEN}\n${origin ? `Origin: ${origin}\n` : ""}Connection: close\n\n`,
        )
      ).status;
    expect(await status("spoor.example")).toBe(200);
    expect(await status("spoor.example", "https://spoor.example")).toBe(200);
    expect(await status("other.example:8443", "https://other.example:8443")).toBe(200);
    expect(await status("spoor.example", "https://spoor.example.evil.test")).toBe(403);
    expect(await status("other.example")).toBe(403);
    expect(await status("evil.spoor.example")).toBe(403);
  });

  it("may be written as in a URL", () => {
    expect(["[::1]", "::1", "localhost"].map(unbracketed)).toEqual(["::1", "::1", "localhost"]);
  });
});

describe("a login link", () => {
  it("works once, sets a cookie that scripts and other sites cannot read, and redirects to the page", async () => {
    const { server } = await serve();
    const response = await fetch(server.loginUrl, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(TOKEN);
    expect(await (await fetch(server.loginUrl, { redirect: "manual" })).json()).toMatchObject({
      error: { code: "login_code_used" },
    });
    await login(server.createLoginUrl());
  });

  it("is revoked after ten wrong guesses; opening a used link again is not a guess", async () => {
    const { server } = await serve();
    const at = async (link: string) => {
      const response = await fetch(link, { redirect: "manual" });
      return response.status === 303 ? "in" : ((await response.json()) as { error: { message: string } }).error.message;
    };
    const guess = () => at(`${server.url}/login/${"x".repeat(43)}`);
    await at(server.loginUrl);
    for (let time = 0; time < 20; time++) expect(await at(server.loginUrl)).toContain("already used");
    const [one, two] = [server.createLoginUrl(), server.createLoginUrl()];
    for (let time = 0; time < 9; time++) await guess();
    expect(await at(one)).toBe("in");
    await guess();
    expect(await at(two)).toContain("too many wrong links");
    expect(await at(server.createLoginUrl())).toBe("in");
  });

  it("that no longer works shows a browser how to get another one, and answers a program with JSON", async () => {
    const { server } = await serve();
    await fetch(server.loginUrl, { redirect: "manual" });
    for (const target of [server.loginUrl, `${server.url}/login/${"x".repeat(43)}`, `${server.url}/docs`]) {
      const response = await fetch(target, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
      expect(response.status).toBe(target.endsWith("/docs") ? 401 : 403);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await response.text()).toContain("<pre>spoor login</pre>");
    }
    const { error } = (await (await fetch(server.loginUrl)).json()) as { error: { hint: string } };
    expect(error.hint).toContain("`spoor login`");
  });

  it("is created only for clients with the token", async () => {
    const { server, post } = await serve();
    expect((await fetch(`${server.url}/v1/login_links`, { method: "POST" })).status).toBe(401);
    const response = await post("/v1/login_links", "");
    const { object, data } = (await response.json()) as { object: string; data: { url: string; expires_at: string } };
    expect([response.status, object]).toEqual([201, "login_link"]);
    expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.now());
    await login(data.url);
  });

  it("may be followed from another site, and is not used up by a preview", async () => {
    const { server } = await serve();
    await fetch(server.loginUrl, { method: "HEAD" });
    await fetch(server.loginUrl, { headers: { "sec-purpose": "prefetch" } });
    await fetch(server.loginUrl, { method: "POST" });
    const { host, pathname } = new URL(server.loginUrl);
    const followed = `GET ${pathname} HTTP/1.1\nHost: ${host}\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: MODE\nConnection: close\n\n`;
    expect((await raw(server.url, followed.replace("MODE", "no-cors"))).status).toBe(403);
    expect((await raw(server.url, followed.replace("MODE", "navigate"))).status).toBe(303);
  });

  it("sets a cookie that is valid for this server only", async () => {
    const [one, two] = [await serve(), await serve()];
    const cookie = (await login(one.server.loginUrl)).replace(/^spoor_\d+/, `spoor_${new URL(two.server.url).port}`);
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    expect((await fetch(`${two.server.url}/v1/runs`, { headers })).status).toBe(401);
  });
});

describe("listening beyond loopback", () => {
  it.each(["0.0.0.0", "::", "*", "", "192.0.2.1", "example.test"])("at %j needs a token (A5)", async (host) => {
    const { log, directory } = await serve();
    await expect(createServer({ log, directory, host })).rejects.toThrow(/token/);
  });

  it("allows the machine's names as Host, but not the wildcard", async () => {
    const { server } = await serve({ host: "0.0.0.0" });
    const status = async (host: string) =>
      (await raw(server.url, `GET /healthz HTTP/1.1\nHost: ${host}:${new URL(server.url).port}\nConnection: close\n\n`))
        .status;
    expect([await status("0.0.0.0"), await status("evil.test"), await status("127.0.0.1")]).toEqual([403, 403, 200]);
  });

  it("refuses a token that is short enough to guess", async () => {
    const { log } = await serve();
    await expect(createServer({ log, token: "secret" })).rejects.toThrow(/22 to 256/);
    await expect(createServer({ log })).rejects.toThrow(/token/);
  });
});

describe("the token's file", () => {
  async function folder(): Promise<string> {
    const made = await mkdtemp(path.join(tmpdir(), "spoor-token-"));
    onTestFinished(() => rm(made, { recursive: true }));
    return made;
  }

  it("is created once by processes that start at the same time, and only its owner can read it (A7)", async () => {
    const directory = await folder();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf(directory)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).toMatch(/^[\w-]{43}$/);
    expect(await readFile(path.join(directory, "token"), "utf8")).toBe(`${tokens[0]}\n`);
    expect((await stat(path.join(directory, "token"))).mode & 0o777).toBe(0o600);
  });

  it("is refused when it is a link, readable by others, or holds no token", async () => {
    const directory = await folder();
    const file = path.join(directory, "token");
    await writeFile(path.join(directory, "elsewhere"), "planted-planted-planted-planted\n", { mode: 0o600 });
    await symlink(path.join(directory, "elsewhere"), file);
    await expect(tokenOf(directory)).rejects.toThrow(/link/);
    await rm(file);
    await writeFile(file, "planted-planted-planted-planted\n");
    await chmod(file, 0o644);
    await expect(tokenOf(directory)).rejects.toThrow(/chmod 600/);
    await writeFile(file, "");
    await chmod(file, 0o600);
    await expect(tokenOf(directory)).rejects.toThrow(/valid token/);
  });
});

describe("an invalid request", () => {
  it.each([
    ["nonsense\n\n", 400],
    ["GET /v1/runs HTTP/9.9\n\n", 400],
    [`GET / HTTP/1.1\nX: ${"x".repeat(20_000)}\n\n`, 431],
    ["GET /v1/runs HTTP/1.1\nHost: HOST\nContent-Length: 1\nTransfer-Encoding: chunked\n\n", 400],
    ["GET /v1/ws HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\n\n", 401],
    [
      `GET /v1/ws HTTP/1.1\nHost: HOST\nAuthorization: Bearer ${TOKEN}\nConnection: Upgrade\nUpgrade: websocket\n\n`,
      400,
    ],
  ])("is refused: %.30s", async (request, status) => {
    const { server } = await serve();
    const answer = await raw(server.url, request.replace("HOST", new URL(server.url).host));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('"error":{"code"');
    expect(answer.text).toContain(`"request_id":"${/X-Request-Id: (req_\w+)\r\n/.exec(answer.text)?.[1]}"`);
    expect(answer.text).toContain("X-Content-Type-Options: nosniff");
  });

  it("beyond the limit of streams gets an error (A8)", async () => {
    const { get, log } = await serve({ maxStreams: 2 });
    await startRun(log);
    const open = [await get("/v1/events/stream"), await get("/v1/events/stream")];
    const third = await get("/v1/events/stream");
    expect([third.status, await third.json()]).toMatchObject([503, { error: { code: "too_many_streams" } }]);
    for (const response of open) await response.body?.cancel();
  });

  it("cannot make an answer with markup from an agent be shown as a page (A8)", async () => {
    const { get, post, log } = await serve();
    const run = await startRun(log);
    await post(`/v1/runs/${run.run_id}/events`, { note: "<img src=x onerror=alert(1)><script>alert(1)</script>" });
    for (const target of [`/v1/runs/${run.run_id}/events`, `/v1/events`]) {
      const response = await get(target, { accept: "text/html" });
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
    const docs = await get("/docs");
    expect(docs.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(await docs.text()).not.toMatch(/<script|src=|http:|https:/);
  });
});

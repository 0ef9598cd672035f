import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../../testing/server/serve.ts";

const SHELL = `<!doctype html><title>Spoor</title><script type="module" src="/assets/index-abc.js"></script>`;
const SCRIPT = `export const text = ${JSON.stringify("spoor ".repeat(500))};`;

/** A server with a page of three files, beside which lies a file that nobody may read. */
async function servePage() {
  const parent = mkdtempSync(path.join(tmpdir(), "spoor-page-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const page = path.join(parent, "page");
  mkdirSync(path.join(page, "assets"), { recursive: true });
  writeFileSync(path.join(parent, "secret.js"), "secret");
  writeFileSync(path.join(page, "index.html"), SHELL);
  writeFileSync(path.join(page, ".digest"), "secret");
  writeFileSync(path.join(page, "icon.svg"), "<svg/>");
  writeFileSync(path.join(page, "assets/index-abc.js"), SCRIPT);
  const { server } = await serve({ page });
  return { url: server.url, server, page };
}

/** Sends a path as it is: `fetch` would resolve dots in it. */
const raw = (url: string, target: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { port } = new URL(url);
    send({ port, host: "127.0.0.1", path: target, headers }, (response) => {
      let body = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk) => (body += chunk))
        .on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });

describe("a screen", () => {
  it.each([
    "/",
    "/?new",
    "/runs/run_01",
    "/runs/run_01/changes",
    "/runs/run_01/timeline?from=1",
    "/runs/run_01/events",
    "/approvals",
    "/approvals/apr_01",
    "/compare?run=a&run=b",
    "/usage",
    "/events",
  ])("%s is the shell of the page, without a login", async (target) => {
    const { url } = await servePage();
    const response = await fetch(url + target);
    expect([response.status, await response.text()]).toEqual([200, SHELL]);
  });

  it("comes with the headers that let nothing foreign in", async () => {
    const { url } = await servePage();
    const { headers } = await fetch(url);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; " +
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-cache");
  });

  it("that nobody knows is the shell with 404 for a person, and an error for a program", async () => {
    const { url } = await servePage();
    const person = await fetch(`${url}/nowhere`, { headers: { accept: "text/html,*/*" } });
    expect([person.status, await person.text()]).toEqual([404, SHELL]);
    expect((await fetch(`${url}/nowhere`)).status).toBe(401);
    expect((await fetch(`${url}/v1/nowhere`, { headers: { accept: "text/html" } })).status).toBe(401);
  });

  it("opens from a link on another site, but only under a name of this server", async () => {
    const { url } = await servePage();
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await raw(url, "/runs/run_01", link)).status).toBe(200);
    expect((await raw(url, "/", { ...link, "sec-fetch-mode": "no-cors" })).status).toBe(403);
    expect((await raw(url, "/", { host: "evil.test" })).status).toBe(403);
  });

  it("is answered with 304 while it is the same, and anew after a build", async () => {
    const { url, page } = await servePage();
    const etag = (await fetch(url)).headers.get("etag") ?? "";
    const again = () => fetch(url, { headers: { "if-none-match": etag } });
    expect((await again()).status).toBe(304);
    writeFileSync(path.join(page, "index.html"), `${SHELL}<!-- newer -->`);
    const fresh = await again();
    expect([fresh.status, await fresh.text()]).toEqual([200, `${SHELL}<!-- newer -->`]);
  });
});

describe("a file of the page", () => {
  it("is kept by the browser for ever if its name holds a digest", async () => {
    const { url } = await servePage();
    const script = await fetch(`${url}/assets/index-abc.js`);
    expect(await script.text()).toBe(SCRIPT);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await fetch(`${url}/icon.svg`)).headers.get("cache-control")).toBe("no-cache");
  });

  it.each([
    ["gzip, deflate", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ])("with Accept-Encoding %s is encoded as %s", async (accepted, encoding) => {
    const { url } = await servePage();
    const response = await fetch(`${url}/assets/index-abc.js`, { headers: { "accept-encoding": accepted } });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    if (encoding) expect(Number(response.headers.get("content-length"))).toBeLessThan(SCRIPT.length / 10);
    expect(await response.text()).toBe(SCRIPT);
  });

  it("answers HEAD without its bytes", async () => {
    const { url } = await servePage();
    const head = await fetch(`${url}/assets/index-abc.js`, { method: "HEAD", headers: { "accept-encoding": "gzip" } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("that is missing, such as one of an older page, is 404 and not the shell", async () => {
    const { url } = await servePage();
    const gone = await fetch(`${url}/assets/index-old.js`, { headers: { accept: "text/html,*/*" } });
    expect([gone.status, gone.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
  });

  it.each([
    "/assets/../../secret.js",
    "/assets/..%2f..%2fsecret.js",
    "/assets/%2e%2e/%2e%2e/secret.js",
    "/assets/..\\..\\secret.js",
    "/../secret.js",
    "//secret.js",
    "/.digest",
    "/assets/.digest",
    "/assets/",
    "/icons/../secret.js",
  ])("%s leads to nothing outside the folder", async (target) => {
    const { url } = await servePage();
    const { status, body } = await raw(url, target);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toContain("secret\n");
    expect(body).not.toBe("secret");
  });
});

describe("the login", () => {
  it.each([
    ["/runs/run_01/changes?x=1#a", "/runs/run_01/changes?x=1#a"],
    ["/approvals/apr_01", "/approvals/apr_01"],
    ["//evil.test/", "/"],
    ["/\\evil.test", "/"],
    ["https://evil.test/", "/"],
    ["/v1/runs", "/"],
    ["/login/abc", "/"],
    ["/runs/a\r\nSet-Cookie: x=1", "/"],
  ])("with next=%s leads to %s", async (next, location) => {
    const { server } = await servePage();
    const response = await fetch(`${server.loginUrl}?${new URLSearchParams({ next })}`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([303, location]);
  });

  it("lets a browser that is logged in follow its old link", async () => {
    const { server } = await servePage();
    const first = await fetch(server.loginUrl, { redirect: "manual" });
    const cookie = first.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const follow = (headers: Record<string, string>) =>
      fetch(`${server.loginUrl}?next=/usage`, {
        redirect: "manual",
        headers: { "sec-fetch-site": "none", ...headers },
      });
    const again = await follow({ cookie });
    expect([again.status, again.headers.get("location"), again.headers.get("set-cookie")]).toEqual([
      303,
      "/usage",
      null,
    ]);
    expect((await follow({})).status).toBe(403);
    expect((await follow({ cookie: cookie.replace(/=.*/, "=wrong") })).status).toBe(403);
  });
});

it("without a built page a screen says what to do, and the interface works", async () => {
  const page = path.join(mkdtempSync(path.join(tmpdir(), "spoor-page-")), "missing");
  onTestFinished(() => rmSync(path.dirname(page), { recursive: true, force: true }));
  const { server, get } = await serve({ page });
  const response = await fetch(server.url);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("npm run build");
  expect((await get("/docs")).status).toBe(200);
  expect((await get("/v1/runs")).status).toBe(200);
});

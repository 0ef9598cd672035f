import type { LoginLinkAnswer } from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/write";
import { HttpError } from "../http/errors.ts";
import { sendBytes, sendError, sendJson } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import type { Parts } from "../parts.ts";

const json = { "application/json": "HealthAnswer" } as const;

/** Health, the login of a browser, and what describes all the others. */
export function systemRoutes({ auth, log, url, isStopping }: Parts, all: () => readonly Route[]): Route[] {
  return [
    {
      method: "GET",
      path: "/healthz",
      operation: "getHealth",
      summary: "Whether the server is alive",
      access: "open",
      answers: { 200: { description: "It is.", content: json } },
      handle: ({ response }) => sendJson(response, 200, { status: "ok" }),
    },
    {
      method: "GET",
      path: "/readyz",
      operation: "getReadiness",
      summary: "Whether the log can be read and written",
      access: "open",
      answers: {
        200: { description: "It can.", content: json },
        503: { description: "It cannot, or not any more.", content: { "application/json": "ErrorAnswer" } },
      },
      async handle({ response, request_id }) {
        if (isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
        // The operator was told when it happened, and is not at every look.
        if (log.fault) return sendError(response, new HttpError("log_unavailable", log.fault.message), request_id);
        await log.runs({ limit: 1 });
        sendJson(response, 200, { status: "ready" });
      },
    },
    {
      method: "GET",
      path: "/login/{code}",
      operation: "logIn",
      summary: "Log a browser in with a one-time link",
      access: "login",
      answers: { 303: { description: "Logged in: to the page." } },
      handle({ request, response, path }) {
        // Looking at a link, as previews do, must not use it up.
        if (request.method !== "GET" || request.headers["sec-purpose"] !== undefined) {
          throw new HttpError("bad_request", "A login link is opened, not looked at.");
        }
        const cookie = auth.redeem(path.code ?? "");
        const location = all().some(({ path }) => path === "/") ? "/" : "/docs";
        response.writeHead(303, { "Set-Cookie": cookie, Location: location, "Referrer-Policy": "no-referrer" }).end();
      },
    },
    {
      method: "POST",
      path: "/v1/login_links",
      operation: "createLoginLink",
      summary: "Get a one-time link that logs a browser in",
      answers: { 201: { description: "The link.", content: { "application/json": "LoginLinkAnswer" } } },
      handle({ response }) {
        const { code, expires_at } = auth.issueCode();
        const data = { url: `${url()}/login/${code}`, expires_at: instant(expires_at) };
        const answer: LoginLinkAnswer = { object: "login_link", data };
        sendJson(response, 201, answer);
      },
    },
    {
      method: "GET",
      path: "/openapi.json",
      operation: "getOpenApi",
      summary: "This interface as OpenAPI 3.1",
      answers: { 200: { description: "OpenAPI.", content: { "application/json": undefined } } },
      async handle({ response }) {
        const { openApi } = await import("./openapi.ts");
        sendJson(response, 200, openApi(all(), url()));
      },
    },
    {
      method: "GET",
      path: "/docs",
      operation: "getDocs",
      summary: "This interface as a page",
      answers: { 200: { description: "HTML.", content: { "text/html": undefined } } },
      async handle({ response }) {
        const { docsPage } = await import("./docs-page.ts");
        const { html, policy } = docsPage(all());
        response.setHeader("Content-Security-Policy", policy);
        sendBytes(response, 200, "text/html; charset=utf-8", Buffer.from(html));
      },
    },
  ];
}

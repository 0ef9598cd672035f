import { HttpError } from "./errors.ts";
import type { Parts } from "./parts.ts";
import { sendBytes, sendError, sendJson } from "./respond.ts";
import type { Route } from "./route.ts";

const json = { "application/json": "HealthAnswer" } as const;

/** Health, the login of a browser, and what describes all the others. */
export function systemRoutes({ auth, log, isStopping }: Parts, all: () => readonly Route[]): Route[] {
  return [
    {
      method: "GET",
      path: "/healthz",
      summary: "Whether the server is alive",
      access: "open",
      answers: { 200: { description: "It is.", content: json } },
      handle: ({ response }) => sendJson(response, 200, { status: "ok" }),
    },
    {
      method: "GET",
      path: "/readyz",
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
      summary: "Log a browser in with a one-time link",
      access: "login",
      answers: { 303: { description: "Logged in: to the page." } },
      handle({ request, response, path }) {
        // Looking at a link, as previews do, must not use it up.
        if (request.method !== "GET" || request.headers["sec-purpose"] !== undefined) {
          throw new HttpError("bad_request", "A login link is opened, not looked at.");
        }
        const cookie = auth.redeem(path.code ?? "");
        if (!cookie) throw new HttpError("login_code_used", "This link was used, or is too old.");
        const location = all().some(({ path }) => path === "/") ? "/" : "/docs";
        response.writeHead(303, { "Set-Cookie": cookie, Location: location, "Referrer-Policy": "no-referrer" }).end();
      },
    },
    {
      method: "GET",
      path: "/openapi.json",
      summary: "This interface as OpenAPI 3.1",
      answers: { 200: { description: "OpenAPI.", content: { "application/json": undefined } } },
      async handle({ response }) {
        const { openApi } = await import("./openapi.ts");
        sendJson(response, 200, openApi(all()));
      },
    },
    {
      method: "GET",
      path: "/docs",
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

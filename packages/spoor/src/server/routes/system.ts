import type { IncomingMessage } from "node:http";
import type { LoginLinkAnswer } from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/lines";
import { HttpError } from "../http/http-error.ts";
import { sendBytes, sendError, sendJson } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import { afterLogin } from "../page/page-path.ts";
import type { RouteContext } from "./route-context.ts";

const json = { "application/json": "HealthAnswer" } as const;

/** Health, the login of browsers, and the description of the interface. */
export function systemRoutes({ auth, log, url, isStopping }: RouteContext, all: () => readonly Route[]): Route[] {
  /** Uses the code up. An old link still leads a browser to the page if it is logged in already. */
  const redeem = (request: IncomingMessage, code: string): string | undefined => {
    try {
      return auth.redeem(code);
    } catch (error) {
      if (request.headers.cookie === undefined) throw error;
      try {
        auth.authorise(request);
      } catch {
        throw error;
      }
      return undefined;
    }
  };
  return [
    {
      method: "GET",
      path: "/healthz",
      operation: "getHealth",
      summary: "Check that the server runs",
      access: "open",
      answers: { 200: { description: "The server runs.", content: json } },
      handle: ({ response }) => sendJson(response, 200, { status: "ok" }),
    },
    {
      method: "GET",
      path: "/readyz",
      operation: "getReadiness",
      summary: "Check that the log can be read and written",
      access: "open",
      answers: {
        200: { description: "The log can be read and written.", content: json },
        503: {
          description: "The log has a fault, or the server is stopping.",
          content: { "application/json": "ErrorAnswer" },
        },
      },
      async handle({ response, request_id }) {
        if (isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
        // The fault was reported to the operator when it happened; do not report it again at every check.
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
      description: "With `?next=` and a path of the page it redirects there, else to the first screen.",
      answers: { 303: { description: "Logged in. Redirects to the page." } },
      handle({ request, response, path, query }) {
        // Link previews and prefetching must not use the link up.
        if (request.method !== "GET" || request.headers["sec-purpose"] !== undefined) {
          throw new HttpError("bad_request", "A login link must be opened with GET, not prefetched.");
        }
        const cookie = redeem(request, path.code ?? "");
        const location = afterLogin(query.get("next"));
        response
          .writeHead(303, {
            ...(cookie && { "Set-Cookie": cookie }),
            Location: location,
            "Referrer-Policy": "no-referrer",
          })
          .end();
      },
    },
    {
      method: "POST",
      path: "/v1/login_links",
      operation: "createLoginLink",
      summary: "Create a one-time link that logs a browser in",
      answers: {
        201: { description: "The link and when it expires.", content: { "application/json": "LoginLinkAnswer" } },
      },
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
      summary: "Get the OpenAPI 3.1 description of this interface",
      answers: { 200: { description: "The OpenAPI document.", content: { "application/json": undefined } } },
      async handle({ response }) {
        const { openApi } = await import("./openapi.ts");
        sendJson(response, 200, openApi(all(), url()));
      },
    },
    {
      method: "GET",
      path: "/docs",
      operation: "getDocs",
      summary: "Read the description of this interface as a page",
      answers: { 200: { description: "An HTML page.", content: { "text/html": undefined } } },
      async handle({ response }) {
        const { docsPage } = await import("./docs-page.ts");
        const { html, policy } = docsPage(all());
        response.setHeader("Content-Security-Policy", policy);
        sendBytes(response, 200, "text/html; charset=utf-8", Buffer.from(html));
      },
    },
  ];
}

import { ALPHANUMERIC, BASE64, BETWEEN, HEX, type Kind, pick, printableBut, run, text, WORD } from "./kind.ts";
import { isRandom, kindsOfCharacters } from "./proofs.ts";

const TOKEN = `${WORD}.~+/=`;
const URL_PASSWORD = printableBut("\"'`\\<>{}()");

/** Secrets in headers, URLs and the configuration of clients. */
export const requestKinds: readonly Kind[] = [
  {
    name: "authorization",
    parts: [
      text("Authorization", "authorization", "AUTHORIZATION"),
      run(BETWEEN, 1, 8),
      text("Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "ApiKey ", "Digest "),
      { ...run(TOKEN, 8, 8192), mixed: true, secret: true },
    ],
    inWord: "rest",
    example: (random) => ({
      before: "Authorization: Basic ",
      secret: `${pick(ALPHANUMERIC, 24, random)}==`,
      after: "",
    }),
    not: `Authorization: Bearer $${"{token}"}`,
  },
  {
    name: "authorization",
    parts: [
      text("Authorization", "authorization"),
      run(" \t\"'\\:=", 1, 8),
      { ...run(TOKEN, 16, 8192), accepts: (value: string) => isRandom(value, 16), secret: true },
    ],
    inWord: "rest",
    example: (random) => ({ before: "Authorization: ", secret: pick(ALPHANUMERIC, 40, random), after: "" }),
    not: "Authorization: required, authorization: request.headers.authorization",
  },
  {
    name: "bearer-token",
    parts: [text("Bearer ", "bearer "), { ...run(TOKEN, 20, 8192), mixed: true, secret: true }],
    example: (random) => ({ before: "Bearer ", secret: pick(`${WORD}.~+/`, 40, random), after: "" }),
    not: "Bearer <token> and Bearer your-token-goes-in-this-place",
  },
  {
    name: "password",
    parts: [
      text("://"),
      run(`${WORD}.~%!&+$*`, 0, 128),
      text(":"),
      { ...run(URL_PASSWORD, 1, 512), last: "@", rejects: isPort, accepts: isUrlPassword, secret: true },
      text("@"),
    ],
    inWord: "rest",
    example: (random) => ({
      before: "postgres://app:",
      secret: pick(`${WORD}.~%!/@`, 16, random),
      after: "@db.internal:5432/main",
    }),
    not: "https://example.com:8080/@scope/name http://localhost:3000/a@b git@github.com:a/b.git",
  },
  {
    name: "sentry-dsn",
    parts: [text("://"), { ...run(HEX, 32, 32), secret: true }, text("@")],
    inWord: "rest",
    example: (random) => ({ before: "https://", secret: pick(HEX, 32, random), after: "@o1.ingest.sentry.io/42" }),
    not: "https://user@host/path",
  },
  {
    name: "docker-auth",
    parts: [
      text('auth"', 'auth\\"', "auth'"),
      run(" \t\"'\\:", 1, 8),
      { ...run(BASE64, 8, 8192), accepts: isUserAndPassword, secret: true },
    ],
    example: (random) => ({
      before: '{"auths":{"ghcr.io":{"auth": "',
      secret: Buffer.from(`robot:${pick(ALPHANUMERIC, 20, random)}`).toString("base64"),
      after: '"}}}',
    }),
    not: '{"auth": "required", "auth": "basicAuthentication"}',
  },
  {
    name: "azure-signature",
    parts: [
      text("?sig=", "&sig=", "?Signature=", "&Signature=", "X-Amz-Signature="),
      { ...run(`${ALPHANUMERIC}%+/=`, 27, 512), mixed: true, secret: true },
    ],
    inWord: "rest",
    example: (random) => ({
      before: "?sv=2024-08-04&sig=",
      secret: `${pick(ALPHANUMERIC, 43, random)}%3D`,
      after: "&se=2026",
    }),
    not: "?sig=none&sig=signature",
  },
  {
    name: "cookie",
    parts: [
      text("Cookie: ", "cookie: ", "COOKIE: "),
      { ...run(`${printableBut("\"'`\\")} `, 16, 4096), accepts: isCookie, secret: true },
    ],
    example: (random) => ({
      before: "Set-Cookie: ",
      secret: `sid=${pick(ALPHANUMERIC, 32, random)}; Path=/`,
      after: "\n",
    }),
    not: "Cookie: name=value; other=value",
  },
];

function isPort(text: string): boolean {
  return /^\d{1,5}[/?#]/.test(text);
}

function isUrlPassword(password: string): boolean {
  // A port, a path, or a variable of a template.
  if (/^(?:\d{1,5}$|[/$])/.test(password)) return false;
  return !/[/@?#]/.test(password) || kindsOfCharacters(password) >= 2;
}

function isUserAndPassword(encoded: string): boolean {
  const decoded = Buffer.from(encoded, "base64").toString("latin1");
  return encoded.length % 4 !== 1 && /^[\x20-\x7e]{1,128}:[\x20-\x7e]{3,}$/.test(decoded);
}

function isCookie(line: string): boolean {
  return line.split(";").some((pair) => isRandom(pair.slice(pair.indexOf("=") + 1), 16));
}

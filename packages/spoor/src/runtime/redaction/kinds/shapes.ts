import {
  ALPHANUMERIC,
  alone,
  BASE64,
  BETWEEN,
  DIGITS,
  HEX,
  type Kind,
  oneOf,
  PRINTABLE,
  pick,
  run,
  text,
  UPPER,
  WORD,
} from "./kind.ts";
import { isPlaceholder, isRandom, kindsOfCharacters } from "./proofs.ts";

const BEGIN = "-----BEGIN ";
const keyKinds = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ANY "].map((kind) => `${kind}PRIVATE KEY-----`);
const KEY_BLOCK = "PGP PRIVATE KEY BLOCK-----";
const LONGEST_KEY = 10_240;
/** Base64 of how private keys begin, less the characters that depend on what follows. */
const encodedKeys = keyKinds.map((kind) =>
  Buffer.from(BEGIN + kind)
    .toString("base64")
    .replace(/..=*$/, ""),
);
const TOKEN = `${WORD}.~+/=`;
const notIn = (members: string): string => [...PRINTABLE].filter((member) => !members.includes(member)).join("");
const URL_PASSWORD = notIn("\"'`\\<>{}()");
const SHELL_WORD = notIn("\"'`\\");

/** Secrets of several parts, and those that what stands before them tells. */
export const shapeKinds: readonly Kind[] = [
  {
    // The key's id and the key beside each other, as in the file that AWS gives to download.
    name: "aws-secret",
    parts: [
      text("AKIA", "ASIA"),
      run(`${UPPER}234567`, 16, 16),
      run(" \t,;:|\"'\\", 1, 4),
      { ...run(`${ALPHANUMERIC}+/`, 40, 40), accepts: (key) => kindsOfCharacters(key.replaceAll(/[+/]/g, "")) === 3 },
    ],
    inWord: "rest",
    example: (random) => alone(`AKIA${pick(`${UPPER}234567`, 16, random)},${pick(`${ALPHANUMERIC}+/`, 39, random)}b`),
    not: "AKIA,Secret access key",
  },
  {
    name: "aws-key-id",
    parts: [
      text("AKIA", "ASIA", "ABIA", "ACCA"),
      // Zeros in base64 look like it, but for one letter that comes again and again.
      { ...run(`${UPPER}234567`, 16, 64), accepts: (id) => new Set(id).size > 6 },
    ],
    inWord: "rest",
    example: (random) => alone(`AKIA${pick(`${UPPER}234567`, 16, random)}`),
    not: `ASIA-PACIFIC and ACCA${"A".repeat(16)}`,
  },
  {
    name: "aws-secret",
    parts: [
      text("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"),
      run(BETWEEN, 1, 8),
      { ...run(`${ALPHANUMERIC}+/`, 40, 40), mixed: true, secret: true },
    ],
    inWord: "rest",
    example: (random) => ({
      before: "aws_secret_access_key = ",
      secret: pick(`${ALPHANUMERIC}+/`, 40, random),
      after: "",
    }),
    not: "aws_secret_access_key = your-secret-access-key",
  },
  {
    name: "sendgrid-key",
    parts: [text("SG."), run(WORD, 16, 64), text("."), run(WORD, 32, 128)],
    inWord: "rest",
    example: (random) => alone(`SG.${pick(WORD, 22, random)}.${pick(WORD, 43, random)}`),
    not: "SG.name.other",
  },
  {
    name: "jwt",
    parts: [text("eyJ"), run(WORD, 10, 512), text(".eyJ"), run(WORD, 10, 8192), text("."), run(WORD, 16, 1024)],
    inWord: "rest",
    example: (random) => alone(`eyJ${pick(WORD, 33, random)}.eyJ${pick(WORD, 90, random)}.${pick(WORD, 43, random)}`),
    not: "eyJ begins the header of every token, as in eyJhbGciOi.eyJ",
  },
  {
    name: "private-key",
    parts: [
      text(BEGIN),
      text(...keyKinds),
      { kind: "until", text: "-----END ", max: LONGEST_KEY },
      run(`${UPPER} `, 1, 40),
      text("-----"),
    ],
    inWord: "all",
    example: (random) => alone(pem(oneOf(keyKinds, random), random)),
    not: "grep -r -----BEGIN RSA PRIVATE KEY----- .",
  },
  {
    name: "private-key",
    parts: [text(BEGIN), text(KEY_BLOCK), { kind: "until", text: `-----END ${KEY_BLOCK}`, max: LONGEST_KEY }],
    inWord: "all",
    example: (random) => alone(pem(KEY_BLOCK, random)),
    not: "-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQENBF\n-----END PGP PUBLIC KEY BLOCK-----",
  },
  {
    // Cut off before its end.
    name: "private-key",
    parts: [text(BEGIN), text(...keyKinds), run("\\nr \t\r\n\"',+", 1, 16), run(`${BASE64}\\ \t\r\n`, 40, LONGEST_KEY)],
    inWord: "all",
    example: (random) => alone(pem(keyKinds[1] as string, random).slice(0, 300)),
    not: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
  },
  {
    name: "private-key",
    parts: [text("Private-Lines: "), run(DIGITS, 1, 4), run("\r\n\\nr", 1, 4), run(`${BASE64}\r\n\\`, 40, LONGEST_KEY)],
    example: (random) => ({
      before: "",
      secret: `Private-Lines: 2\n${pick(`${ALPHANUMERIC}+/`, 64, random)}\n`,
      after: "",
    }),
    not: "Private-Lines: 14",
  },
  {
    name: "kubernetes-key",
    parts: [text(...encodedKeys), run(BASE64, 40, LONGEST_KEY)],
    inWord: "rest",
    example: (random) => ({
      before: "client-key-data: ",
      secret: Buffer.from(pem(oneOf(keyKinds, random), random)).toString("base64"),
      after: "\n",
    }),
    not: `certificate-authority-data: ${Buffer.from("-----BEGIN CERTIFICATE-----\nMIIDBTCCAe2gAwIBAgI").toString("base64")}`,
  },
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
    name: "discord-token",
    parts: [
      text(...["M", "N", "O"].flatMap((a) => [..."DTjz"].flatMap((b) => [..."AEIMQUYcgk"].map((c) => a + b + c)))),
      run(ALPHANUMERIC, 20, 26),
      text("."),
      run(WORD, 6, 7),
      text("."),
      run(WORD, 27, 60),
    ],
    example: (random) =>
      alone(`MTk4${pick(ALPHANUMERIC, 20, random)}.${pick(ALPHANUMERIC, 6, random)}.${pick(WORD, 27, random)}`),
    not: "MTAwMDAwMDAwMDAwMDAwMDAw.name.other",
  },
  {
    name: "telegram-token",
    parts: [
      text(":AA"),
      { ...run(WORD, 32, 64), accepts: (value: string) => kindsOfCharacters(value) >= 3, secret: true },
    ],
    inWord: "rest",
    example: (random) => ({ before: "123456789:AA", secret: pick(WORD, 33, random), after: "" }),
    not: "12:AA and 7:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  },
  {
    name: "twilio-key",
    parts: [text(...[...HEX].map((digit) => `SK${digit}`)), { ...run(HEX, 31, 64), mixed: true }],
    example: (random) => alone(`SK${pick(HEX, 32, random)}`),
    not: "SK8 and SKad",
  },
  {
    name: "1password-key",
    parts: [
      text("A3-"),
      {
        ...run(`${UPPER}${DIGITS}-`, 32, 64),
        accepts: (key) => /^\w{6}-(?:\w{11}|\w{6}-\w{5})(?:-\w{5}){3}/.test(key),
      },
    ],
    example: (random) =>
      alone(["A3", ...[6, 6, 5, 5, 5, 5].map((length) => pick(UPPER + DIGITS, length, random))].join("-")),
    not: "A3-SIZE-PAPER-OF-THE-PRINTER-IN-THE-ROOM",
  },
  {
    name: "resend-key",
    parts: [text("re_"), run(ALPHANUMERIC, 8, 9), text("_"), { ...run(ALPHANUMERIC, 20, 40), mixed: true }],
    example: (random) => alone(`re_${pick(ALPHANUMERIC, 8, random)}_${pick(ALPHANUMERIC, 24, random)}`),
    not: "re_exports_of_a_module",
  },
  {
    name: "azure-secret",
    parts: [
      text(...[...DIGITS].map((digit) => `${digit}Q~`)),
      { ...run(`${WORD}~.`, 31, 64), mixed: true, secret: true },
    ],
    inWord: "rest",
    example: (random) => ({ before: "xyz8Q~", secret: pick(`${WORD}~.`, 34, random), after: "" }),
    not: "8Q~ alone",
  },
  {
    name: "twitter-token",
    parts: [
      text("AAAAAAAAAAAAAAAAAAAAA"),
      { ...run(`${ALPHANUMERIC}%`, 80, 200), accepts: (body) => body.includes("%") },
    ],
    example: (random) =>
      alone(`${"A".repeat(22)}${pick(ALPHANUMERIC, 40, random)}%2B${pick(ALPHANUMERIC, 50, random)}`),
    not: "A".repeat(200),
  },
  {
    name: "facebook-token",
    parts: [
      text("EAAC", "EAAM", "EAAB", "EAAG", "EAAD", "EAAF", "IGQV", "IGAA"),
      { ...run(`${ALPHANUMERIC}_-`, 90, 1024), accepts: (body) => isRandom(body, 90) },
    ],
    example: (random) => alone(`EAAC${pick(ALPHANUMERIC, 160, random)}`),
    not: `EAAC${"A".repeat(120)}`,
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
    name: "netrc-password",
    parts: [
      text("login ", "login\t"),
      run(SHELL_WORD, 1, 128),
      run(" \t\r\n\\nrt", 1, 20),
      text("password ", "password\t"),
      { ...run(SHELL_WORD, 4, 256), accepts: isNoPlaceholder, secret: true },
    ],
    example: (random) => ({
      before: "machine api.example.com login robot password ",
      secret: pick(`${ALPHANUMERIC}!$%`, 14, random),
      after: "\n",
    }),
    not: "login with password <password>",
  },
  {
    name: "netrc-password",
    parts: [
      text("machine "),
      run(SHELL_WORD, 1, 128),
      run(" \t\r\n\\nrt", 1, 20),
      text("password ", "password\t"),
      { ...run(SHELL_WORD, 4, 256), accepts: isNoPlaceholder, secret: true },
    ],
    example: (random) => ({
      before: "machine api.example.com password ",
      secret: pick(`${ALPHANUMERIC}!$%`, 14, random),
      after: "\n",
    }),
    not: "machine host password <password>",
  },
  {
    name: "password",
    parts: [
      text("sshpass -p"),
      run(" \"'\\", 0, 3),
      { ...run(SHELL_WORD, 4, 256), accepts: isNoPlaceholder, secret: true },
    ],
    example: (random) => ({ before: "sshpass -p ", secret: pick(`${ALPHANUMERIC}!%`, 12, random), after: " ssh host" }),
    not: "sshpass -p $PASSWORD ssh host",
  },
  {
    name: "password",
    parts: [
      text("docker login ", "podman login ", "helm registry login "),
      { kind: "until", text: "-p ", max: 80 },
      run("\"'\\", 0, 2),
      { ...run(SHELL_WORD, 6, 256), accepts: (value: string) => isRandom(value, 6), secret: true },
    ],
    example: (random) => ({
      before: "docker login -u robot -p ",
      secret: pick(ALPHANUMERIC, 20, random),
      after: " registry.example.com",
    }),
    not: "docker login -u robot --password-stdin; mkdir -p src/parts",
  },
  {
    name: "password",
    parts: [
      text("mysql -", "mysqldump -", "mysqladmin -", "mariadb -"),
      { kind: "until", text: " -p", max: 80 },
      run("\"'\\", 0, 2),
      { ...run(SHELL_WORD, 4, 256), accepts: isUserPassword, secret: true },
    ],
    example: (random) => ({ before: "mysql -u root -p", secret: pick(ALPHANUMERIC, 14, random), after: " main" }),
    not: "mysql -u root -p main2; mysql -uroot -p",
  },
  {
    name: "password",
    parts: [
      text("redis-cli "),
      { kind: "until", text: "-a ", max: 80 },
      run("\"'\\", 0, 2),
      { ...run(SHELL_WORD, 6, 256), accepts: isUserPassword, secret: true },
    ],
    example: (random) => ({ before: "redis-cli -h cache -a ", secret: pick(ALPHANUMERIC, 16, random), after: " ping" }),
    not: "redis-cli -a $REDIS_PASSWORD ping",
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
    name: "kubernetes-key",
    parts: [
      text("key-data", "key_data"),
      run(" \t\"'\\:=", 1, 8),
      { ...run(BASE64, 40, LONGEST_KEY), mixed: true, secret: true },
    ],
    example: (random) => ({ before: "client-key-data: ", secret: pick(ALPHANUMERIC, 200, random), after: "\n" }),
    not: "client-key-data: REDACTED",
  },
  {
    name: "user-password",
    parts: [
      text("curl -u", "-u ", "--user ", "--user=", "--proxy-user "),
      run(" \"'\\", 0, 3),
      run(`${WORD}.@+%`, 1, 64),
      text(":"),
      { ...run(SHELL_WORD, 4, 256), accepts: isUserPassword, secret: true },
    ],
    example: (random) => ({
      before: "curl -u admin:",
      secret: pick(`${ALPHANUMERIC}!%^`, 12, random),
      after: " https://x.io",
    }),
    not: "docker run -u 1000:1000 -u node:node --user www-data:www-data",
  },
  {
    name: "cookie",
    parts: [
      text("Cookie: ", "cookie: ", "COOKIE: "),
      { ...run(`${notIn("\"'`\\")} `, 16, 4096), accepts: isCookie, secret: true },
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
  // A port, a path, or a name in a template.
  if (/^(?:\d{1,5}$|[/$])/.test(password)) return false;
  return !/[/@?#]/.test(password) || kindsOfCharacters(password) >= 2;
}

function isNoPlaceholder(value: string): boolean {
  return !isPlaceholder(value);
}

function isUserAndPassword(encoded: string): boolean {
  const decoded = Buffer.from(encoded, "base64").toString("latin1");
  return encoded.length % 4 !== 1 && /^[\x20-\x7e]{1,128}:[\x20-\x7e]{3,}$/.test(decoded);
}

function isUserPassword(password: string): boolean {
  return (
    !isPlaceholder(password) && !/^\d+$/.test(password) && /\d|[!@#$%^&*+]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]/.test(password)
  );
}

function isCookie(line: string): boolean {
  return line.split(";").some((pair) => isRandom(pair.slice(pair.indexOf("=") + 1), 16));
}

function pem(kind: string, random: () => number): string {
  const lines = Array.from({ length: 8 }, () => pick(`${ALPHANUMERIC}+/`, 64, random));
  return [BEGIN + kind, ...lines, `-----END ${kind}`].join("\n");
}

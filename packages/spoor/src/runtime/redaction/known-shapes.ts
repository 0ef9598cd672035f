import { charactersOf, type Part, type Shape } from "./shape.ts";

/** A shape together with a maker of examples: `random` gives a float in [0, 1). */
export interface KnownShape extends Shape {
  example(random: () => number): string;
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const ALPHANUMERIC = DIGITS + LOWER + UPPER;
const WORD = `${ALPHANUMERIC}_-`;
const HEX = `${DIGITS}abcdef`;
const BASE64 = `${ALPHANUMERIC}+/=`;
/** What stands between a name and its value, in code, headers and JSON inside JSON. */
const BETWEEN = " \t\"'\\:=>";

/** Prefixed tokens: name, prefixes, characters of the body, its least and greatest length. */
const tokens: readonly [name: string, prefixes: readonly string[], body: string, min: number, max: number][] = [
  ["anthropic-key", ["sk-ant-"], WORD, 20, 300],
  ["openrouter-key", ["sk-or-v1-"], HEX, 64, 64],
  ["openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], WORD, 20, 400],
  ["openai-key", ["sk-"], ALPHANUMERIC, 32, 64],
  ["github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], ALPHANUMERIC, 36, 255],
  ["github-token", ["github_pat_"], `${ALPHANUMERIC}_`, 36, 255],
  [
    "gitlab-token",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "gloas-"],
    WORD,
    20,
    200,
  ],
  ["aws-key-id", ["AKIA", "ASIA", "ABIA", "ACCA"], `${UPPER}234567`, 16, 16],
  ["google-key", ["AIza"], WORD, 35, 35],
  ["google-token", ["ya29."], WORD, 20, 2048],
  ["google-secret", ["GOCSPX-"], WORD, 28, 28],
  [
    "slack-token",
    ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xoxp-", "xapp-"],
    `${ALPHANUMERIC}-`,
    20,
    300,
  ],
  ["slack-webhook", ["hooks.slack.com/services/"], `${ALPHANUMERIC}/`, 30, 100],
  ["discord-webhook", ["discord.com/api/webhooks/"], `${WORD}/`, 60, 200],
  ["stripe-key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], ALPHANUMERIC, 16, 250],
  ["npm-token", ["npm_"], ALPHANUMERIC, 36, 36],
  ["pypi-token", ["pypi-AgE"], WORD, 50, 1000],
  ["huggingface-token", ["hf_"], ALPHANUMERIC, 34, 40],
  ["groq-key", ["gsk_"], ALPHANUMERIC, 48, 60],
  ["xai-key", ["xai-"], ALPHANUMERIC, 60, 100],
  ["perplexity-key", ["pplx-"], ALPHANUMERIC, 40, 60],
  ["replicate-token", ["r8_"], ALPHANUMERIC, 37, 40],
  ["databricks-token", ["dapi"], HEX, 32, 32],
  ["digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], HEX, 64, 64],
  ["shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], `${HEX}ABCDEF`, 32, 32],
  ["linear-key", ["lin_api_"], ALPHANUMERIC, 40, 40],
  ["notion-token", ["ntn_"], ALPHANUMERIC, 40, 50],
  ["atlassian-token", ["ATATT3"], `${WORD}=`, 50, 300],
  ["docker-token", ["dckr_pat_", "dckr_oat_"], WORD, 27, 40],
  ["vault-token", ["hvs.", "hvb."], WORD, 24, 300],
  ["doppler-token", ["dp.pt.", "dp.st.", "dp.ct."], `${WORD}.`, 40, 70],
  ["planetscale-token", ["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], `${WORD}.=`, 32, 64],
  ["supabase-token", ["sbp_"], HEX, 40, 40],
  ["supabase-key", ["sb_secret_"], WORD, 20, 64],
  ["grafana-token", ["glsa_"], `${ALPHANUMERIC}_`, 40, 50],
  ["newrelic-key", ["NRAK-"], `${UPPER}${DIGITS}`, 27, 27],
  ["tailscale-key", ["tskey-auth-", "tskey-api-", "tskey-client-"], `${ALPHANUMERIC}-`, 20, 100],
  ["age-key", ["AGE-SECRET-KEY-1"], `${UPPER}${DIGITS}`, 58, 58],
  ["azure-key", ["AccountKey="], BASE64, 80, 100],
  ["azure-key", ["SharedAccessKey="], BASE64, 43, 60],
];

const BEGIN = "-----BEGIN ";
const keyKinds = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "].map((kind) => `${kind}PRIVATE KEY-----`);
const KEY_BLOCK = "PGP PRIVATE KEY BLOCK-----";
const LONGEST_KEY = 10_240;

export const knownShapes: readonly KnownShape[] = [
  ...tokens.map(token),
  {
    name: "sendgrid-key",
    parts: [text("SG."), run(WORD, 16, 40), text("."), run(WORD, 32, 64)],
    example: (random) => `SG.${pick(WORD, 22, random)}.${pick(WORD, 43, random)}`,
  },
  {
    name: "aws-secret",
    parts: [
      text("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"),
      run(BETWEEN, 1, 8),
      { ...run(`${ALPHANUMERIC}+/`, 40, 40), mixed: true, secret: true },
    ],
    example: (random) => `AWS_SECRET_ACCESS_KEY=${pick(`${ALPHANUMERIC}+/`, 40, random)}`,
  },
  {
    name: "jwt",
    parts: [text("eyJ"), run(WORD, 10, 512), text(".eyJ"), run(WORD, 10, 8192), text("."), run(WORD, 16, 1024)],
    example: (random) => `eyJ${pick(WORD, 33, random)}.eyJ${pick(WORD, 90, random)}.${pick(WORD, 43, random)}`,
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
    inWord: true,
    example: (random) => pem(keyKinds[Math.floor(random() * keyKinds.length)] as string, random),
  },
  {
    name: "private-key",
    parts: [text(BEGIN), text(KEY_BLOCK), { kind: "until", text: `-----END ${KEY_BLOCK}`, max: LONGEST_KEY }],
    inWord: true,
    example: (random) => pem(KEY_BLOCK, random),
  },
  {
    // Cut off before its end.
    name: "private-key",
    parts: [text(BEGIN), text(...keyKinds), run("\\nr \t\r\n\"',+", 1, 16), run(`${BASE64}\\ \t\r\n`, 40, LONGEST_KEY)],
    inWord: true,
    example: (random) => pem(keyKinds[1] as string, random).slice(0, 300),
  },
  {
    name: "authorization",
    parts: [
      text("Authorization", "authorization", "AUTHORIZATION"),
      run(BETWEEN, 1, 8),
      text("Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token "),
      { ...run(`${WORD}.~+/=`, 8, 8192), mixed: true, secret: true },
    ],
    example: (random) => `Authorization: Basic ${pick(ALPHANUMERIC, 24, random)}==`,
  },
  {
    name: "bearer-token",
    parts: [text("Bearer ", "bearer "), { ...run(`${WORD}.~+/=`, 20, 8192), mixed: true, secret: true }],
    example: (random) => `Bearer ${pick(`${WORD}.~+/`, 40, random)}`,
  },
  {
    name: "password",
    parts: [
      text("://"),
      run(`${WORD}.~%!&+$*`, 0, 128),
      text(":"),
      { ...run(`${WORD}.~%!&+$*^=,;|#?`, 1, 256), secret: true },
      text("@"),
    ],
    inWord: true,
    example: (random) => `postgres://app:${pick(`${WORD}.~%!`, 16, random)}@db.internal:5432/main`,
  },
];

function token([name, prefixes, body, min, max]: (typeof tokens)[number]): KnownShape {
  // Words are in lower case: what has none needs no further proof.
  const proof = body.includes("a") ? { mixed: true as const } : {};
  return {
    name,
    parts: [text(...prefixes), { ...run(body, min, max), ...proof }],
    example: (random) => {
      const prefix = prefixes[Math.floor(random() * prefixes.length)] as string;
      return prefix + pick(body, Math.min(max, Math.max(min, 24 + Math.floor(random() * 40))), random);
    },
  };
}

function text(...any: string[]): Extract<Part, { kind: "text" }> {
  return { kind: "text", any };
}

function run(members: string, min: number, max: number): Extract<Part, { kind: "run" }> {
  return { kind: "run", chars: charactersOf(members), min, max };
}

function pem(kind: string, random: () => number): string {
  const lines = Array.from({ length: 8 }, () => pick(`${ALPHANUMERIC}+/`, 64, random));
  return [BEGIN + kind, ...lines, `-----END ${kind}`].join("\n");
}

/** Letters and digits at both ends, and a digit for sure, as a random key nearly always has. */
function pick(members: string, length: number, random: () => number): string {
  const letters = [...members].filter((member) => ALPHANUMERIC.includes(member));
  const body = Array.from({ length }, (_, index) => {
    const from = index === 0 || index === length - 1 ? letters : members;
    return from[Math.floor(random() * from.length)] as string;
  });
  body[1] = [...DIGITS].find((digit) => members.includes(digit)) ?? "2";
  body[2] = letters.find((letter) => !DIGITS.includes(letter)) as string;
  return body.join("");
}

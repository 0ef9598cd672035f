import { ALPHANUMERIC, alone, BASE64, DIGITS, type Kind, oneOf, pick, run, text, UPPER } from "./kind.ts";

const BEGIN = "-----BEGIN ";
const keyKinds = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ANY "].map((kind) => `${kind}PRIVATE KEY-----`);
const KEY_BLOCK = "PGP PRIVATE KEY BLOCK-----";
const LONGEST_KEY = 10_240;
/** Base64 of how private keys begin, without the characters that depend on what follows. */
const encodedKeys = keyKinds.map((kind) =>
  Buffer.from(BEGIN + kind)
    .toString("base64")
    .replace(/..=*$/, ""),
);

/** Private keys, in the formats of PEM, PGP, PuTTY and Kubernetes. */
export const privateKeyKinds: readonly Kind[] = [
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
    name: "kubernetes-key",
    parts: [
      text("key-data", "key_data"),
      run(" \t\"'\\:=", 1, 8),
      { ...run(BASE64, 40, LONGEST_KEY), mixed: true, secret: true },
    ],
    example: (random) => ({ before: "client-key-data: ", secret: pick(ALPHANUMERIC, 200, random), after: "\n" }),
    not: "client-key-data: REDACTED",
  },
];

function pem(kind: string, random: () => number): string {
  const lines = Array.from({ length: 8 }, () => pick(`${ALPHANUMERIC}+/`, 64, random));
  return [BEGIN + kind, ...lines, `-----END ${kind}`].join("\n");
}

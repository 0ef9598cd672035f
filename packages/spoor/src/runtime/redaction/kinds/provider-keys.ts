import { ALPHANUMERIC, alone, BETWEEN, DIGITS, HEX, type Kind, pick, run, text, UPPER, WORD } from "./kind.ts";
import { isRandom, kindsOfCharacters } from "./proofs.ts";

/** Keys of services that consist of several parts. */
export const providerKeyKinds: readonly Kind[] = [
  {
    // The id and the secret next to each other, as in the file that AWS offers for download.
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
      // Zeros in base64 match too, but consist of one repeated letter.
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
];

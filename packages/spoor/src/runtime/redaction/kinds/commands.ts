import { ALPHANUMERIC, type Kind, pick, printableBut, run, text, WORD } from "./kind.ts";
import { isPlaceholder, isRandom } from "./proofs.ts";

const SHELL_WORD = printableBut("\"'`\\");

/** Passwords in command lines and in `.netrc` files. */
export const commandKinds: readonly Kind[] = [
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
];

function isNoPlaceholder(value: string): boolean {
  return !isPlaceholder(value);
}

function isUserPassword(password: string): boolean {
  return (
    !isPlaceholder(password) && !/^\d+$/.test(password) && /\d|[!@#$%^&*+]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]/.test(password)
  );
}

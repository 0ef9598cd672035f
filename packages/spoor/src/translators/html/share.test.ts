import { expect, it } from "vitest";
import { createHomeRemover } from "./share.ts";

const withoutHomes = createHomeRemover("/srv/ann");

it.each([
  ["/home/ann/app/x.ts and /home/ann", "~/app/x.ts and ~"],
  ["/Users/bob/app, /home/carl:", "~/app, ~:"],
  ["C:\\Users\\dora\\app", "~\\app"],
  ["--- a/home/eve/x.ts\n+++ b/home/eve/x.ts", "--- a/~/x.ts\n+++ b/~/x.ts"],
  ["diff --git a/Users/eve/x b/Users/eve/x", "diff --git a/~/x b/~/x"],
  ["/srv/ann/data/x", "~/data/x"],
])("home directories in %j become ~", (text, expected) => {
  expect(withoutHomes(text)).toBe(expected);
});

it.each(["/homes/ann", "src/home/page.ts", "my/home/x", "/srv/annika/x", "https://example.test/home/ann.html/x"])(
  "%j stays as it is",
  (text) => {
    expect(withoutHomes(text)).toBe(text);
  },
);

import { expect, it } from "vitest";
import { createRedactor } from "./index.ts";
import { mapTexts } from "./values.ts";

const { redact } = createRedactor();

it("replaces secrets that are recognised by the name of their field", () => {
  const secret = "q8Zr2Lm5Xc7Vb9Nn1Kp4q8Zr2Lm5Xc7Vb9Nn1Kp4";
  const data = {
    env: { AWS_SECRET_ACCESS_KEY: secret, PATH: "/bin" },
    headers: [{ authorization: `Basic ${secret.slice(0, 12)}` }],
  };
  expect(mapTexts(data, redact)).toEqual({
    env: { AWS_SECRET_ACCESS_KEY: "[redacted:secret]", PATH: "/bin" },
    headers: [{ authorization: "Basic [redacted:authorization]" }],
  });
});

it("returns the same object when the value under such a name is not a secret", () => {
  const data = { author: "Basic facts", secret: 'with "quotes" and "more"', authorization: { kind: "none" } };
  expect(mapTexts(data, redact)).toBe(data);
});

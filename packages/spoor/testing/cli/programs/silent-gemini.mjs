// Speaks Gemini's dialect, which takes one prompt only, and then prints nothing more until it is ended.
setTimeout(() => process.exit(1), 120_000);
process.stdout.write(
  `${JSON.stringify({ type: "init", session_id: "5f2c1c1e-0000-4000-8000-000000000008", model: "fake" })}\n`,
);

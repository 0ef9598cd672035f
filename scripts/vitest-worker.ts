import fc from "fast-check";

// Vitest dies of SIGTERM without a word to its workers, which would go on alone until their tests end.
process.on("disconnect", () => process.exit());

// A test says the same thing each time, so properties try the same cases. SEED=2 tries others; so does `npm run fuzz`.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

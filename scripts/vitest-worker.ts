import fc from "fast-check";

// SIGTERM ends vitest without ending its workers, which would run until their tests end.
process.on("disconnect", () => process.exit());

// Property tests use a fixed seed so that results are repeatable. SEED=2 and `npm run fuzz` try other cases.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

// Vitest dies of SIGTERM without a word to its workers, which would go on alone until their tests end.
process.on("disconnect", () => process.exit());

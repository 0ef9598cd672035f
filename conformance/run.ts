// Exits with 1: a conformance run that looked at no agent has shown nothing.
console.error("Conformance: no agent is wired up yet, so there is nothing to run.");
process.exitCode = 1;

// Prints nothing, reads nothing, and runs for a minute at most.
setTimeout(() => {}, 60_000);

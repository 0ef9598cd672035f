// Says nothing, reads nothing, and stays (no fake program outlives a broken test for long).
setTimeout(() => {}, 60_000);

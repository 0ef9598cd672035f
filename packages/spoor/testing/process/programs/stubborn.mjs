// Ignores SIGTERM, SIGINT and SIGHUP.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
setTimeout(() => {}, 60_000);
console.log("ready");

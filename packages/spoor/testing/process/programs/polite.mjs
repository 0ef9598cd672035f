// Prints a line for each SIGINT; SIGTERM ends it after a short clean-up.
process.on("SIGINT", () => console.log("interrupted"));
process.once("SIGTERM", () => {
  console.log("cleaning");
  setTimeout(() => {
    console.log("clean");
    process.exit(0);
  }, 50);
});
setTimeout(() => {}, 60_000);
console.log("ready");

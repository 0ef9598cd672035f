// Prints increasing numbers for as long as it runs.
let count = 0;
setInterval(() => {
  count += 1;
  console.log(count);
}, 1);
setTimeout(() => process.exit(), 60_000);

// Prints its environment, working directory and arguments.
console.log(JSON.stringify({ env: process.env, cwd: process.cwd(), args: process.argv.slice(2) }));

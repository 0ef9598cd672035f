// Preloaded into a program that does not know it is measured; reports the resources it has used when asked.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() });
});
process.channel?.unref();

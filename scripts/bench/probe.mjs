// Preloaded into every measured program, so that the program itself is the one that people run.
process.on("message", (message) => {
  if (message.cpu === true) process.send({ cpu: process.cpuUsage() })
})
// Whoever measures has gone: so does the program.
process.on("disconnect", () => process.exit())

// Preloaded into every measured program, so that the program itself is the one that people run.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

process.on("message", (message) => {
  if (message.cpu === true) process.send({ cpu: process.cpuUsage() })
  if (message.memory === true) process.send({ memory: settled() })
})

/** The resident memory without what is only waiting to be collected. */
const settled = () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  for (let times = 0; times < 4; times++) collect()
  return process.memoryUsage.rss()
}
// Whoever measures has gone: so does the program.
process.on("disconnect", () => process.exit())

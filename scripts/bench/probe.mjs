// Preloaded into every measured program, so that the program itself stays unchanged.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

process.on("message", (message) => {
  if (message.cpu === true) process.send({ cpu: process.cpuUsage() })
  if (message.memory === true) process.send({ memory: settled().rss })
  if (message.resident === true) process.send({ resident: process.memoryUsage.rss() })
  if (message.objects === true) process.send({ objects: settled().heapUsed })
})

/** The memory after a garbage collection. */
const settled = () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  for (let times = 0; times < 4; times++) collect()
  return process.memoryUsage()
}
// The benchmark has ended, so the program ends.
process.on("disconnect", () => process.exit())

// An agent that nothing but SIGKILL ends: it ignores the end of its input and SIGTERM, and answers as its flag says.
import * as Fs from "node:fs"
import * as Readline from "node:readline"

const [pidFile, mode] = process.argv.slice(2)
process.on("SIGTERM", () => {})
setInterval(() => {}, 1000)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "one" }
}
/** The method that is never answered; its coming is noted for the test. */
const never = mode === "turn" ? "session/prompt" : mode
Readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (method === never) Fs.writeFileSync(pidFile, String(process.pid))
  else if (answers[method] !== undefined) send({ id, result: answers[method] })
})

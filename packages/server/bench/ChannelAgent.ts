import * as Readline from "node:readline"

// An agent that says one thing every 25 ms, as often as it is asked to.

interface Call {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly prompt?: ReadonlyArray<{ readonly text?: string }> }
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

const say = async (times: number) => {
  const update = {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "twelve words of an answer, as an agent says them" }
  }
  for (let n = 0; n < times; n++) {
    send({ method: "session/update", params: { sessionId: "bench", update } })
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return { stopReason: "end_turn" }
}

const answer = async ({ method, params }: Call): Promise<object> => {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: { loadSession: true } }
  if (method === "session/prompt") return say(Number(params?.prompt?.[0]?.text))
  return { sessionId: "bench" }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as Call
  if (call.id !== undefined) void answer(call).then((result) => send({ id: call.id, result }))
}

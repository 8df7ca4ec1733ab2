import { agent, type AgentContext, methods } from "@agentclientprotocol/sdk"
import { createNodeHttpHandler } from "@agentclientprotocol/sdk/experimental/node"
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server"
import { type Order, orderOf, result, update } from "./Updates.ts"

const say = async (client: AgentContext, order: Order) => {
  const begun = performance.now()
  for (let n = 0; n < order.count; n++) {
    await client.notify(methods.client.session.update, { sessionId: "task-1", update: update(order, n) })
    const early = begun + n * order.every - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
  }
}

/** The official SDK's server with an agent that says what it is asked for. */
export const handle = createNodeHttpHandler(
  new AcpServer({
    createAgent: () =>
      agent({ name: "bench" })
        .onRequest(methods.agent.initialize, () => result.initialize)
        .onRequest(methods.agent.session.new, () => result["session/new"])
        .onRequest(methods.agent.session.prompt, async ({ client, params }) => {
          await say(client, orderOf(params))
          return result["session/prompt"]
        })
  })
)

/** What one prompt of a benchmark asks for. */
export interface Order {
  /** The text of each update in bytes; 0 for a mix of all kinds as agents send them, 476 bytes on average. */
  readonly size: number
  readonly count: number
  /** Milliseconds between two updates, each written by itself; 0 as fast as they are taken. */
  readonly every: number
}

/** The order that a prompt carries. */
export const orderOf = (params: unknown): Order => {
  const { prompt } = params as { readonly prompt: ReadonlyArray<{ readonly text: string }> }
  return JSON.parse(prompt[0]?.text ?? "{}")
}

/** The params of `session/prompt` that carry an order. */
export const promptOf = (order: Order) => ({
  sessionId: "task-1",
  prompt: [{ type: "text" as const, text: JSON.stringify(order) }]
})

/** What each call is answered. */
export const result = {
  initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  "session/new": { sessionId: "task-1" },
  "session/load": {},
  "session/prompt": { stopReason: "end_turn" }
} as const

/** One update of an order, by its number. */
export const update = ({ size }: Pick<Order, "size">, n: number) => {
  if (size > 0) return text("agent_message_chunk", words(size))
  const kind = n % 40
  if (kind < 3) return text("agent_thought_chunk", words(30 + ((n * 7) % 60)))
  if (kind < 6) {
    return {
      sessionUpdate: "tool_call_update" as const,
      toolCallId: `call-${n % 9}`,
      status: "completed" as const,
      content: [
        { type: "content" as const, content: { type: "text" as const, text: words(900 + ((n * 131) % 3000)) } }
      ],
      rawOutput: { exitCode: 0, stdout: words(80) }
    }
  }
  if (kind === 6) {
    return {
      sessionUpdate: "tool_call" as const,
      toolCallId: `call-${n % 9}`,
      title: "Read src/index.ts",
      kind: "read" as const,
      status: "pending" as const,
      locations: [{ path: "/project/src/index.ts", line: 12 }],
      rawInput: { path: "/project/src/index.ts", limit: 200 }
    }
  }
  if (kind === 7) {
    return {
      sessionUpdate: "plan" as const,
      entries: [1, 2, 3, 4].map((step) => ({
        content: `Step ${step}: ${words(40)}`,
        priority: "medium" as const,
        status: "pending" as const
      }))
    }
  }
  return text("agent_message_chunk", words(20 + ((n * 13) % 180)))
}

const text = (sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", words: string) => ({
  sessionUpdate,
  content: { type: "text" as const, text: words }
})

const source =
  'Every row was counted twice, "totals" included; the second pass — žluťoučký kůň, 数える — agrees.\n'.repeat(60)

const words = (bytes: number) => Buffer.from(source).subarray(0, bytes).toString("utf8").replaceAll("\uFFFD", "")

import { type Answer, type Dialect, type Frame, type Loose, newId, plain, propertiesOf } from "./Dialect.ts"

/** Anthropic's Messages. */
export const anthropicMessages: Dialect = {
  question: ({ messages = [], tools = [] }) => {
    const parts = messages
      .filter(({ role }: Loose) => role === "user")
      .map(({ content }: Loose) => (typeof content === "string" ? [{ type: "text", text: content }] : content))
    // A message of the person may begin with the result of the tool that ran before it.
    const last = parts.at(-1)?.findLast(({ text = "" }: Loose) => !/^\s*<system-reminder/.test(text))
    const result = last?.type === "tool_result" ? last : undefined
    return {
      texts: parts.map(plain),
      toolResult: result === undefined ? undefined : plain(result.content) || JSON.stringify(result.content),
      tools: new Map(tools.map(({ name, input_schema }: Loose) => [name, propertiesOf(input_schema)])),
      media: parts.flat().flatMap(({ source, type }: Loose) => (source ? [source.media_type ?? type] : []))
    }
  },
  answer: ({ model }) => answer(model),
  whole: (text, { model }) => ({ ...messageOf(model), content: [{ type: "text", text }], stop_reason: "end_turn" }),
  error: (status, message) => ({
    type: "error",
    error: { type: status === 429 ? "rate_limit_error" : "api_error", message }
  })
}

const messageOf = (model: string) => ({
  id: newId("msg"),
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 }
})

const answer = (model: string): Answer => {
  let index = -1
  let stopReason = "end_turn"
  const frame = (event: string, fields: object = {}): Frame => ({ event, data: { type: event, ...fields } })
  const begin = () => (index === -1 ? [frame("message_start", { message: messageOf(model) })] : [])
  const block = (content_block: object, delta: object): ReadonlyArray<Frame> => {
    const started = begin()
    index++
    return [
      ...started,
      frame("content_block_start", { index, content_block }),
      frame("content_block_delta", { index, delta }),
      frame("content_block_stop", { index })
    ]
  }
  return {
    text: (text) => block({ type: "text", text: "" }, { type: "text_delta", text }),
    call: (name, args) => {
      stopReason = "tool_use"
      const id = newId("toolu")
      return block(
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(args) }
      )
    },
    end: () => [
      ...begin(),
      frame("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } }),
      frame("message_stop")
    ]
  }
}

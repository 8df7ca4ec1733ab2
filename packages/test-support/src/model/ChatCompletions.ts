import { type Answer, type Dialect, type Frame, type Loose, newId, plain, propertiesOf } from "./Dialect.ts"
import { refusal, typeOfDataUrl } from "./OpenAi.ts"

/** OpenAI's Chat Completions. */
export const chatCompletions: Dialect = {
  question: ({ messages = [], tools = [] }) => {
    const last = messages.at(-1)
    const contents = messages.filter(({ role }: Loose) => role === "user").map(({ content }: Loose) => content)
    return {
      texts: contents.map(plain),
      toolResult: last?.role === "tool" ? plain(last.content) : undefined,
      tools: new Map(tools.map((tool: Loose) => [tool.function?.name, propertiesOf(tool.function?.parameters)])),
      media: contents
        .filter(Array.isArray)
        .flat()
        .flatMap(({ file, image_url, input_audio, type }: Loose) =>
          image_url ? [typeOfDataUrl(image_url.url)] : (file ?? input_audio) ? [type] : []
        )
    }
  },
  answer: ({ model }) => answer(model),
  whole: (text) => ({
    id: newId("chatcmpl"),
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }]
  }),
  error: refusal
}

const answer = (model: string): Answer => {
  const id = newId("chatcmpl")
  let reason = "stop"
  const piece = (delta: object, finish_reason: string | null = null): Frame => ({
    data: {
      id,
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason }]
    }
  })
  return {
    text: (content) => [piece({ role: "assistant", content })],
    call: (name, args) => {
      reason = "tool_calls"
      const call = { name, arguments: JSON.stringify(args) }
      return [
        piece({ role: "assistant", tool_calls: [{ index: 0, id: newId("call"), type: "function", function: call }] })
      ]
    },
    end: () => [piece({}, reason), { data: "[DONE]" }]
  }
}

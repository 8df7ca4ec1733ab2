import { type Answer, type Dialect, type Frame, type Loose, newId, plain, propertiesOf } from "./Dialect.ts"
import { refusal, typeOfDataUrl } from "./OpenAi.ts"

/** OpenAI's Responses. */
export const openAiResponses: Dialect = {
  question: ({ input = [], tools = [] }) => {
    const items: ReadonlyArray<Loose> = typeof input === "string" ? [{ role: "user", content: input }] : input
    const last = items.at(-1)
    const parts = items.filter(({ role }) => role === "user").map(({ content }) => content)
    return {
      texts: parts.map(plain),
      toolResult:
        last?.type?.endsWith("_output") === true ? plain(last.output) || JSON.stringify(last.output) : undefined,
      tools: new Map([...tools, ...items.flatMap((item) => item.tools ?? [])].flatMap(toolsIn)),
      media: parts
        .filter(Array.isArray)
        .flat()
        .flatMap(({ file_data, image_url }: Loose) =>
          (image_url ?? file_data) ? [typeOfDataUrl(image_url ?? file_data)] : []
        )
    }
  },
  answer: ({ model }) => answer(model),
  whole: (text, { model }) => ({ ...responseOf(model), status: "completed", output: [messageOf(newId("msg"), text)] }),
  error: refusal
}

/** A tool, or those of a namespace. */
const toolsIn = ({ name, parameters, tools, type }: Loose): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
  type === "namespace"
    ? tools.flatMap(toolsIn)
    : [[name ?? type, type === "custom" ? ["custom"] : propertiesOf(parameters)]]

const responseOf = (model: string) => ({
  id: newId("resp"),
  object: "response",
  created_at: 0,
  model,
  status: "in_progress",
  output: [],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
})

const messageOf = (id: string, text: string) => ({
  id,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }]
})

const answer = (model: string): Answer => {
  const output: Array<object> = []
  const messageId = newId("msg")
  let said = ""
  const frame = (type: string, fields: object): Frame => ({ event: type, data: { type, ...fields } })
  const begin = () =>
    said === "" && output.length === 0 ? [frame("response.created", { response: responseOf(model) })] : []
  const done = (item: object): ReadonlyArray<Frame> => {
    output.push(item)
    return [frame("response.output_item.done", { output_index: output.length - 1, item })]
  }
  return {
    text: (text) => {
      const item = messageOf(messageId, "")
      const started = begin()
      const added =
        said === "" ? [frame("response.output_item.added", { output_index: 0, item: { ...item, content: [] } })] : []
      said += text
      const delta = frame("response.output_text.delta", {
        item_id: messageId,
        output_index: 0,
        content_index: 0,
        delta: text
      })
      return [...started, ...added, delta]
    },
    call: (name, args) => {
      const id = newId("call")
      const custom = typeof args["custom"] === "string"
      return [
        ...begin(),
        ...done(
          custom
            ? { id, call_id: id, type: "custom_tool_call", name, input: args["custom"] }
            : { id, call_id: id, type: "function_call", name, arguments: JSON.stringify(args) }
        )
      ]
    },
    end: () => [
      ...begin(),
      ...(said === "" ? [] : done(messageOf(messageId, said))),
      frame("response.completed", { response: { ...responseOf(model), status: "completed", output } })
    ]
  }
}

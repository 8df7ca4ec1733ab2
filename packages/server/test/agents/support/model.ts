import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

// The agents' requests are looked into freely; what is not there makes the model answer nothing.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any

/** A language model on loopback that does what the last message of the person says. */
export interface Model {
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * What the model does:
 *
 * - `say TEXT`
 * - `write PATH TEXT`: a tool call, and then its result
 * - `slow`: a word every 50 ms, for a minute
 * - `recall`: the first text that the person made it say
 */
interface Turn {
  readonly text: string
  /** All that the person said. */
  readonly all: string
  /** What a tool answered last, when the model is asked again in the same turn. */
  readonly toolResult: string | undefined
}

/** Sends pieces of an answer as one of the two dialects has them. */
interface Dialect {
  readonly text: (text: string) => unknown
  readonly write: (path: string, content: string) => unknown
  readonly end: ReadonlyArray<unknown>
}

/** Starts it; it speaks Gemini's `generateContent` and OpenAI's chat completions. */
export const start = async (): Promise<Model> => {
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const body: Loose = JSON.parse(Buffer.concat(chunks).toString() || "{}")
  const path = new URL(request.url ?? "/", "http://model").pathname
  if (path.endsWith(":countTokens")) return json(response, { totalTokens: 1 })
  const gemini = path.includes(":")
  const turn = gemini ? geminiTurn(body) : openAiTurn(body)
  const dialect = gemini ? geminiDialect : openAiDialect(body.model)
  if (path.endsWith(":generateContent") || (!gemini && body.stream !== true)) {
    // Side questions of the agent's own, such as whose turn it is: none is needed for what is tested.
    const said = "{}"
    return json(
      response,
      gemini
        ? geminiDialect.text(said)
        : {
            id: "1",
            object: "chat.completion",
            choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: said } }]
          }
    )
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (piece: unknown) =>
    response.write(`data: ${typeof piece === "string" ? piece : JSON.stringify(piece)}\n\n`)
  const [command = "", ...rest] = turn.text.split(" ")
  if (turn.toolResult !== undefined) send(dialect.text(`tool said: ${turn.toolResult.slice(0, 300)}`))
  else if (command === "say") for (const word of rest) send(dialect.text(`${word} `))
  else if (command === "recall") send(dialect.text(/^say (.*)$/m.exec(turn.all)?.[1] ?? "nothing was said"))
  else if (command === "write") send(dialect.write(rest[0] ?? "", rest.slice(1).join(" ")))
  else if (command === "slow") {
    for (let n = 1; n <= 1200 && !response.destroyed; n++) {
      send(dialect.text(`word${n} `))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  if (!response.destroyed) {
    for (const piece of dialect.end) send(piece)
    response.end()
  }
}

const json = (response: ServerResponse, body: unknown) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

/** The last line of a text that is one of the commands: agents put a lot around it. */
const commandIn = (text: string): string =>
  text
    .split("\n")
    .findLast((line) => /^(say|write|slow|recall)\b/.test(line.trim()))
    ?.trim() ?? ""

const geminiTurn = ({ contents = [] }: Loose): Turn => {
  const last: Loose = contents.at(-1)
  const result = last?.parts?.find((part: Loose) => part.functionResponse !== undefined)?.functionResponse
  const texts = contents.filter(({ role }: Loose) => role === "user").flatMap(({ parts }: Loose) => parts)
  const all = texts.map(({ text = "" }: Loose) => text).join("\n")
  return {
    text: commandIn(all),
    all,
    toolResult: result === undefined ? undefined : JSON.stringify(result.response)
  }
}

const geminiDialect: Dialect = {
  text: (text) => geminiPiece([{ text }]),
  write: (file_path, content) => geminiPiece([{ functionCall: { name: "write_file", args: { file_path, content } } }]),
  end: [
    {
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    }
  ]
}

const geminiPiece = (parts: ReadonlyArray<unknown>) => ({
  candidates: [{ index: 0, content: { role: "model", parts } }]
})

const openAiTurn = ({ messages = [] }: Loose): Turn => {
  const last: Loose = messages.at(-1)
  const plain = (content: Loose): string =>
    typeof content === "string" ? content : (content ?? []).map(({ text = "" }: Loose) => text).join("\n")
  const all = messages
    .filter(({ role }: Loose) => role === "user")
    .map(({ content }: Loose) => plain(content))
    .join("\n")
  return { text: commandIn(all), all, toolResult: last?.role === "tool" ? plain(last.content) : undefined }
}

const openAiDialect = (model: string): Dialect => {
  const piece = (delta: object, finish_reason: string | null = null) => ({
    id: "1",
    object: "chat.completion.chunk",
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason }]
  })
  let called = false
  return {
    text: (content) => piece({ role: "assistant", content }),
    write: (file_path, content) => {
      called = true
      const call = { name: "write_file", arguments: JSON.stringify({ file_path, content }) }
      return piece({
        role: "assistant",
        tool_calls: [{ index: 0, id: `call_${Date.now()}`, type: "function", function: call }]
      })
    },
    get end() {
      return [piece({}, called ? "tool_calls" : "stop"), "[DONE]"]
    }
  }
}

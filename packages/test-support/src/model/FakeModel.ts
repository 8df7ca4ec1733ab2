import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { anthropicMessages } from "./AnthropicMessages.ts"
import { chatCompletions } from "./ChatCompletions.ts"
import type { Dialect, Frame, Loose, Question } from "./Dialect.ts"
import { geminiContent } from "./GeminiContent.ts"
import { openAiResponses } from "./OpenAiResponses.ts"
import { type Action, actionOf } from "./Script.ts"

/** A language model on loopback that does what the last message of the person says: see `Script.ts`. */
export interface FakeModel {
  readonly url: string
  /** What the agents asked, the oldest first; without requests that are not streamed. */
  readonly questions: ReadonlyArray<AskedQuestion>
  readonly close: () => Promise<void>
}

/** A question, and what the model did. */
export interface AskedQuestion extends Question {
  readonly path: string
  readonly body: Loose
  readonly action: Action
}

/** Starts it; it speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Google's `generateContent`. */
export const start = async (): Promise<FakeModel> => {
  const questions: Array<AskedQuestion> = []
  const server = createServer((request, response) => {
    void serve(request, response, (question) => questions.push(question))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const dialectOf = (path: string): Dialect | undefined => {
  if (path.endsWith("/messages")) return anthropicMessages
  if (path.endsWith("/responses")) return openAiResponses
  if (path.endsWith("/chat/completions")) return chatCompletions
  return /:(streamG|g)enerateContent$/.test(path) ? geminiContent : undefined
}

const serve = async (
  request: IncomingMessage,
  response: ServerResponse,
  record: (question: AskedQuestion) => void
): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const { pathname: path } = new URL(request.url ?? "/", "http://model")
  if (/count_?tokens$/i.test(path)) return json(response, 200, { totalTokens: 1, input_tokens: 1 })
  if (path.endsWith("/models")) return json(response, 200, { object: "list", data: [{ id: "fake", object: "model" }] })
  const dialect = request.method === "POST" ? dialectOf(path) : undefined
  if (dialect === undefined) return json(response, 404, { error: { message: "no such path" } })
  const body: Loose = JSON.parse(Buffer.concat(chunks).toString() || "{}")
  // Side questions of the agent's own, such as whose turn it is: none is needed for what is tested.
  if (body.stream !== true && !path.endsWith(":streamGenerateContent")) {
    return json(response, 200, dialect.whole("{}", body))
  }
  const question = dialect.question(body)
  const action = actionOf(question)
  record({ ...question, path, body, action })
  if (action._tag === "Fail") return json(response, action.status, dialect.error(action.status, action.message))
  response.writeHead(200, { "content-type": "text/event-stream" })
  await stream(response, dialect.answer(body), action)
}

const stream = async (
  response: ServerResponse,
  answer: ReturnType<Dialect["answer"]>,
  action: Exclude<Action, { _tag: "Fail" }>
) => {
  const send = (frames: ReadonlyArray<Frame>) => {
    for (const { data, event } of frames) {
      const line = typeof data === "string" ? data : JSON.stringify(data)
      response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${line}\n\n`)
    }
  }
  if (action._tag === "Call") send(answer.call(action.name, action.args))
  else if (action._tag === "Say") for (const word of action.words) send(answer.text(word))
  else {
    for (let n = 1; n <= 1200 && !response.destroyed; n++) {
      send(answer.text(`word${n} `))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  if (response.destroyed) return
  send(answer.end())
  response.end()
}

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

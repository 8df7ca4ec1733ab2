import { Agent, request } from "node:http"
import { WebSocket } from "ws"

/** A run of the client: it waits for a number of events since it connected, or sends requests at a rate. */
export type ClientRun = { readonly events: number } | { readonly requests: number; readonly perSecond: number }

const [, , api = "", botToken = "", channelId = ""] = process.argv

const socket = new WebSocket(`${api.replace("http", "ws").replace(/\/api$/, "")}/?v=10&encoding=json`)
let edits = 0
let check = (): void => undefined
await new Promise<void>((resolve) =>
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString("utf8")) as { op: number; t: string | null; d: { content?: string } }
    if (frame.op === 10) {
      const d = { token: botToken, intents: 1 | (1 << 9) | (1 << 15), properties: {} }
      socket.send(JSON.stringify({ op: 2, d }))
      setInterval(() => socket.send('{"op":1,"d":null}'), 40_000).unref()
    }
    if (frame.t === "GUILD_CREATE") resolve()
    if (frame.t !== "MESSAGE_UPDATE" || frame.d.content?.startsWith("text") !== true) return
    edits++
    check()
  })
)

const waitForEdits = (count: number): Promise<number> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    check = () => {
      if (edits >= count) resolve(performance.now() - startedAt)
    }
    check()
  })

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const call = (method: string, path: string, body?: object): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const sent = request(
      `${api}/v10${path}`,
      {
        method,
        agent,
        headers: {
          authorization: `Bot ${botToken}`,
          ...(text === undefined ? {} : { "content-type": "application/json", "content-length": text.length })
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") })
        )
        response.on("error", reject)
      }
    )
    sent.on("error", reject)
    sent.end(text)
  })

const callOrThrow = async (method: string, path: string, body?: object): Promise<string> => {
  const { status, text } = await call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text
}

/** Sends, edits, reads and deletes a message: five requests that leave no state. */
const cycle = async (): Promise<number> => {
  const path = `/channels/${channelId}/messages`
  const { id } = JSON.parse(await callOrThrow("POST", path, { content: "a message of a bot" })) as { id: string }
  await callOrThrow("PATCH", `${path}/${id}`, {
    content: "the same, edited",
    embeds: [{ title: "a", description: "b" }]
  })
  await callOrThrow("GET", `${path}?limit=10`)
  await callOrThrow("POST", `/channels/${channelId}/typing`)
  await callOrThrow("DELETE", `${path}/${id}`)
  return 5
}

const sendRequests = async (requests: number, perSecond: number): Promise<number> => {
  const startedAt = performance.now()
  let startedRequests = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (startedRequests < requests) {
        const due = startedAt + (startedRequests / perSecond) * 1000
        startedRequests += 5
        const waitMs = due - performance.now()
        if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
        await cycle()
      }
    })
  )
  return performance.now() - startedAt
}

process.on("message", (message: { readonly run?: ClientRun }) => {
  if (message.run === undefined) return
  const { run } = message
  const work = "events" in run ? waitForEdits(run.events) : sendRequests(run.requests, run.perSecond)
  work.then(
    (millis) => process.send?.({ done: millis }),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    }
  )
})
process.send?.({ ready: true })

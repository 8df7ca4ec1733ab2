import { Agent, request } from "node:http"
import { WebSocket } from "ws"

/** What the client waits for: so many events since it connected, or answers to so many requests in every second. */
export type ClientRun = { readonly events: number } | { readonly requests: number; readonly perSecond: number }

const [, , api = "", botToken = "", channelId = ""] = process.argv

const socket = new WebSocket(`${api.replace("http", "ws").replace(/\/api$/, "")}/?v=10&encoding=json`)
let edits = 0
let look = (): void => undefined
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
    look()
  })
)

const heard = (count: number): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now()
    look = () => {
      if (edits >= count) resolve(performance.now() - began)
    }
    look()
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

const succeeds = async (method: string, path: string, body?: object): Promise<string> => {
  const { status, text } = await call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text
}

/** A message that is sent, read, edited and deleted again: five requests that leave nothing behind. */
const cycle = async (): Promise<number> => {
  const path = `/channels/${channelId}/messages`
  const { id } = JSON.parse(await succeeds("POST", path, { content: "a message of a bot" })) as { id: string }
  await succeeds("PATCH", `${path}/${id}`, { content: "the same, edited", embeds: [{ title: "a", description: "b" }] })
  await succeeds("GET", `${path}?limit=10`)
  await succeeds("POST", `/channels/${channelId}/typing`)
  await succeeds("DELETE", `${path}/${id}`)
  return 5
}

const ask = async (requests: number, perSecond: number): Promise<number> => {
  const began = performance.now()
  let begun = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (begun < requests) {
        const due = began + (begun / perSecond) * 1000
        begun += 5
        const early = due - performance.now()
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
        await cycle()
      }
    })
  )
  return performance.now() - began
}

process.on("message", (message: { readonly run?: ClientRun }) => {
  if (message.run === undefined) return
  const { run } = message
  const work = "events" in run ? heard(run.events) : ask(run.requests, run.perSecond)
  work.then(
    (millis) => process.send?.({ done: millis }),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    }
  )
})
process.send?.({ ready: true })

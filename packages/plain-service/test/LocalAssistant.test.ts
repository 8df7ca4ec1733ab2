import type { PlainService } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { apiOf } from "./Api.ts"
import { startService } from "./Services.ts"

const path = "/localassistant/message"

const messagesOf = async (service: PlainService, query: string) => {
  const { data } = (await (await apiOf(service).get(`${path}${query}`)).json()) as any
  return data.messages as ReadonlyArray<any>
}

const textsOf = (messages: ReadonlyArray<any>) => messages.map(({ content }) => content[0].text)

describe("the local assistant", () => {
  it("tells its status in an envelope", async () => {
    const service = await startService({ assistantOnline: false })
    const answer = await (await apiOf(service).get("/localassistant")).json()
    expect(answer).toEqual({ code: 0, msg: "success", request_id: expect.any(String), data: { online: false } })
    const sent = await apiOf(service).post(path, { content: "hello", msg_type: "text" })
    expect([sent.status, ((await sent.json()) as any).error]).toEqual([502, "server error"])
  })

  it("takes a text, which the history has in the documented shape", async () => {
    const service = await startService()
    const sent = (await (await apiOf(service).post(path, { content: "hello", msg_type: "text" })).json()) as any
    expect(await messagesOf(service, "")).toEqual([
      {
        message_id: sent.data.message_id,
        role: "user",
        content: [{ type: "text", text: "hello" }],
        msg_type: "text",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/),
        attachments: [],
        metadata: { kind: "text", source: { channel: "openapi" } }
      }
    ])
  })

  it("pages have the newest messages, oldest first", async () => {
    const service = await startService()
    for (let index = 0; index < 25; index++) service.assistant.say(`${index}`)
    expect(textsOf(await messagesOf(service, ""))).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 5}`))
    expect(textsOf(await messagesOf(service, "?limit=3&offset=1"))).toEqual(["21", "22", "23"])
    expect(textsOf(await messagesOf(service, "?limit=3&offset=23"))).toEqual(["0", "1"])
    service.setReadings({ messagePages: "newestFirst" })
    expect(textsOf(await messagesOf(service, "?limit=2"))).toEqual(["24", "23"])
    service.setReadings({ messagePages: "oldestFirst" })
    expect(textsOf(await messagesOf(service, "?limit=2"))).toEqual(["0", "1"])
    for (const query of ["?limit=0", "?limit=101", "?limit=x", "?offset=-1"])
      expect((await apiOf(service).get(`${path}${query}`)).status).toBe(400)
  })

  it("the incremental mode has all that follows a message", async () => {
    const service = await startService()
    const [first] = [..."abc"].map((text) => service.assistant.say(text))
    expect(textsOf(await messagesOf(service, `?message_id=${first!.message_id}&limit=1`))).toEqual(["b", "c"])
    expect((await apiOf(service).get(`${path}?message_id=none`)).status).toBe(404)
  })

  it("messages may have contents and times of other shapes", async () => {
    const service = await startService({ messageContent: "strings", times: "utc" })
    service.assistant.say("a")
    service.assistant.say({ text: "", msgType: "card", metadata: {} })
    const [text, empty] = await messagesOf(service, "")
    expect(text).toMatchObject({ role: "assistant", content: ["a"], created_at: expect.stringMatching(/Z$/) })
    expect(empty).toMatchObject({ content: [], msg_type: "card", metadata: {} })
  })

  it("takes the answer to a question in variant A", async () => {
    const service = await startService()
    const { answer, requestId } = service.assistant.ask("Which?", [{ question: "Which?" }])
    const send = (content: unknown) =>
      apiOf(service).post(path, { content: JSON.stringify(content), msg_type: "permission_response" })
    const right = { outcome: "selected", requestId, answers: { q_0: "a", q_1: ["b", "c"] } }
    expect((await send({ ...right, requestId: "none" })).status).toBe(404)
    expect((await send({ ...right, answers: { q: "a" } })).status).toBe(400)
    expect((await send([])).status).toBe(400)
    expect((await send(right)).status).toBe(200)
    expect(await answer).toEqual(right)
    expect((await send(right)).status).toBe(409)
  })

  it("rejects permission_response in variant B, and other types in both", async () => {
    const service = await startService({ assistant: "B" })
    const send = async (msgType: string) => {
      const response = await apiOf(service).post(path, { content: "{}", msg_type: msgType })
      return [response.status, ((await response.json()) as any).error]
    }
    expect(await send("permission_response")).toEqual([400, "invalid_request"])
    expect(await send("image")).toEqual([400, "invalid_request"])
  })
})

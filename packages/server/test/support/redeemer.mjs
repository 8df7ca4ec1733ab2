// A process of its own that redeems: over HTTP, or through the rules on the same database. For each line of work it
// prints "ready", waits for a line, sends everything at once, and prints what came back as one line of JSON.
import * as Administration from "@heddle/server/Administration"
import { Redemptions } from "@heddle/server/redemptions/Redemptions"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createInterface } from "node:readline"

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const decode = Schema.decodeUnknownSync(RedemptionRequest)

const go = async () => {
  process.stdout.write("ready\n")
  await lines.next()
}

const overHttp = async ({ requests, url }) => {
  await go()
  return Promise.all(
    requests.map(async ({ body, token }) => {
      const response = await fetch(`${url}/openapi/v2/redemptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      return response.ok
        ? { id: body.request_id, said: "success", text }
        : { id: body.request_id, said: JSON.parse(text).error, text: JSON.parse(text).error_description }
    })
  )
}

const throughRules = ({ dataDir, requests }) =>
  Effect.gen(function* () {
    const redemptions = yield* Redemptions
    yield* Effect.promise(go)
    return yield* Effect.forEach(
      requests,
      ({ body, owner }) =>
        redemptions.redeem(owner, decode(body)).pipe(
          Effect.match({
            onSuccess: (text) => ({ id: body.request_id, said: "success", text }),
            onFailure: (refusal) => ({ id: body.request_id, said: refusal.code, text: refusal.description })
          })
        ),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.provide(Administration.layer(dataDir)), Effect.runPromise)

for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
  const work = JSON.parse(line.value)
  const results = await (work.url === undefined ? throughRules(work) : overHttp(work))
  process.stdout.write(`${JSON.stringify(results)}\n`)
}

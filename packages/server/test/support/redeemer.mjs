// A process of its own that redeems: over HTTP, or through the rules on the same database. It prints "ready", waits
// for a line, sends everything at once, and prints what came back as one line of JSON.
import * as Administration from "@heddle/server/Administration"
import { Redemptions } from "@heddle/server/Redemptions"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { once } from "node:events"

const { dataDir, requests, url } = JSON.parse(process.argv[2] ?? "{}")
const decode = Schema.decodeUnknownSync(RedemptionRequest)

const go = async () => {
  process.stdout.write("ready\n")
  await once(process.stdin, "data")
}

const overHttp = async () => {
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

const throughRules = Effect.gen(function* () {
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
})

const results =
  url === undefined
    ? await Effect.runPromise(Effect.provide(throughRules, Administration.layer(dataDir)))
    : await overHttp()
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))

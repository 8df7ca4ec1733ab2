import { assert, describe, it } from "@effect/vitest"
import { type Pace, upload } from "@heddle/test-support/Upload"
import * as LingeringClose from "@heddle/server/http/LingeringClose"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Http from "node:http"
import * as Net from "node:net"
import * as TestServer from "../support/TestServer.ts"

const rounds = 10
const mebibyte = 1024 * 1024

describe("LingeringClose", { timeout: 60_000 }, () => {
  for (const pace of ["at once", "slowly"] satisfies ReadonlyArray<Pace>)
    it.scopedLive(
      `lets a client that writes its body ${pace} read a response that comes before the end of the body`,
      () =>
        Effect.gen(function* () {
          const server = yield* TestServer.make()
          const authorization = `Authorization: Bearer ${yield* server.grantTo("Loom", "Ada")}`
          const json = "Content-Type: application/json"
          const refusals: ReadonlyArray<readonly [number, ReadonlyArray<string>]> = [
            [413, ["POST /openapi/v2/tasks HTTP/1.1", authorization, json]],
            [413, ["POST /openapi/v2/token HTTP/1.1", "Content-Type: application/x-www-form-urlencoded"]],
            [401, ["POST /openapi/v2/tasks HTTP/1.1", json]],
            [404, ["POST /nowhere HTTP/1.1", json]],
            [417, ["POST /openapi/v2/tasks HTTP/1.1", "Expect: the-unexpected"]]
          ]
          for (let round = 0; round < rounds; round++)
            yield* Effect.forEach(
              refusals,
              ([status, head]) =>
                Effect.map(
                  Effect.promise(() => upload(Number(new URL(server.url).port), head, 3 * mebibyte, pace)),
                  (answer) => {
                    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
                    assert.match(answer, /\r\n\r\n\{.+\}$/)
                  }
                ),
              { concurrency: "unbounded" }
            )
        })
    )

  it("closes the connection of a client that does not end its body", async () => {
    const server = Http.createServer((_request, response) => void response.writeHead(413).end("too large"))
    LingeringClose.install(server, 50)
    await once(server.listen(0, "127.0.0.1"), "listening")
    const socket = Net.connect((server.address() as Net.AddressInfo).port, "127.0.0.1")
    let answer = ""
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n{")
    await once(socket, "close")
    assert.match(answer, /^HTTP\/1\.1 413 [^]*too large/)
    server.close()
    await once(server, "close")
  })
})

import { Client } from "undici"
import { answerRuns } from "./Runs.ts"

interface Run {
  readonly millis: number
  readonly connections: number
  readonly url: string
  readonly token: string
}

/** Asks over every connection, one request after the other, until the time is over; tells how many were answered. */
const run = async ({ connections, millis, token, url }: Run): Promise<number> => {
  const until = performance.now() + millis
  const clients = Array.from({ length: connections }, () => new Client(url))
  const headers = { authorization: `Bearer ${token}` }
  let answered = 0
  await Promise.all(
    clients.map(async (client) => {
      do {
        const { body, statusCode } = await client.request({ method: "GET", path: "/openapi/v2/user/profile", headers })
        if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
        await body.dump()
        answered++
      } while (performance.now() < until)
      await client.close()
    })
  )
  return answered
}

answerRuns(run)

import { Client } from "undici"
import { answerRuns } from "./Runs.ts"

interface Run {
  readonly millis: number
  readonly limit: number
  readonly url: string
  readonly path: string
  readonly token: string
}

/** Asks for the list, one request after the other, until the time is over; tells how many were answered. */
const run = async ({ limit, millis, path, token, url }: Run): Promise<number> => {
  const until = performance.now() + millis
  const client = new Client(url)
  const headers = { authorization: `Bearer ${token}` }
  let answered = 0
  do {
    const { body, statusCode } = await client.request({ method: "GET", path: `${path}?limit=${limit}`, headers })
    if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
    await body.dump({ limit: 64 * 1024 * 1024 })
    answered++
  } while (performance.now() < until)
  await client.close()
  return answered
}

answerRuns(run)

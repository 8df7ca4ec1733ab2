import { build } from "esbuild"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

/** What a browser loads of Effect for one decoded value and one retry, whatever a client does beyond. */
const floor = `
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
class Failure extends Schema.TaggedError()("Failure", {}) {}
class Profile extends Schema.Class("Profile")({ nickname: Schema.String }) {}
const read = Effect.mapError(Schema.decodeUnknown(Profile)({}), () => new Failure())
Effect.runFork(Effect.retry(read, Schedule.recurs(3)))
`

const smallFunction = `
import { newIdempotencyKey } from "@heddle/core/promise"
console.log(newIdempotencyKey())
`

const typicalClient = `
import { createClient, RateLimited } from "@heddle/core/promise"
const client = createClient({ baseUrl: "https://example.com", accessToken: "token" })
try {
  const { taskId } = await client.tasks.create({ prompt: "Count the rows" })
  console.log(await client.users.profile(), await client.tasks.awaitChannel(taskId))
} catch (error) {
  if (error instanceof RateLimited) console.log(error.retryAfter)
}
`

const everything = `
import * as everything from "@heddle/core/promise"
console.log(everything)
`

/** The programs whose bundles are compared. */
export const programs = {
  "Effect with a schema and a retry": floor,
  "one small function": smallFunction,
  "a typical client": typicalClient,
  everything
} as const
export type Program = keyof typeof programs

/** The kilobytes that a browser loads of a program: bundled, minified and compressed. */
export const kilobytesOf = async (program: Program, conditions: ReadonlyArray<string> = []): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: programs[program], resolveDir: dirname(fileURLToPath(import.meta.url)) },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: [...conditions],
    logLevel: "error"
  })
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000
}

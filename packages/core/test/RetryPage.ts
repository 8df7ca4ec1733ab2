import * as HttpApi from "@effect/platform/HttpApi"
import { Bearer } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as CallOptions from "@heddle/core/CallOptions"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"

/** Every operation that a client makes, by name. */
export const operations: ReadonlyArray<Operation.Operation> = Object.values(Operation)
  .flatMap((each) => (typeof each === "object" ? [each] : []))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const said = { code: "", description: "" }
const broken = { operation: "", reason: "" }

/** The errors that something is done about, each with its column. */
const columns: ReadonlyArray<readonly [title: string, error: OpenApiError.OpenApiError]> = [
  ["401", new OpenApiError.InvalidToken(said)],
  ["429", new OpenApiError.RateLimited(said)],
  ["500", new OpenApiError.ServiceFailure({ ...said, status: 500 })],
  ["502, 503, 504", new OpenApiError.ServiceFailure({ ...said, status: 503 })],
  ["not sent", new OpenApiError.Unreachable(broken)],
  ["answer lost", new OpenApiError.OutcomeUnknown(broken)]
]

/** Every other refusal, none of which is ever repeated. */
const final = OpenApiError.Refusal.members
  .map((Refusal) => new Refusal({ ...said, status: 400, required: [] }))
  .filter((error) => !columns.some(([, { _tag }]) => error._tag === _tag) && !RetryPolicy.isRefusedToken(error))

const words: Readonly<Record<RetryPolicy.Remedy, string>> = {
  renew: "renew, again",
  wait: "wait, again",
  waitOnce: "wait, once more",
  never: "fail"
}

/**
 * The page "Retries" of the documentation, out of the table that the client runs on. The rows of the other packages stay
 * as they are: a test in each package writes them out of what its client does.
 */
export const render = (page: string): string => {
  const requests = new Map<string, string>()
  const authorized = new Set<string>()
  HttpApi.reflect(OpenApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, middleware }) => {
      const name = `${group.identifier}.${endpoint.name}`
      requests.set(name, `${endpoint.method} ${endpoint.path}`)
      if ([...middleware].some(({ key }) => key === Bearer.key)) authorized.add(name)
    }
  })
  const rows = operations.flatMap((operation) =>
    (operation.keyIn === "header" ? [undefined, "key"] : ["key"]).map((key) => {
      const made = Operation.withKey(operation, key)
      const note = operation.keyIn !== "header" ? "" : key === undefined ? ", no kept key" : ", with a kept key"
      const repeated = columns.map(([, error]) =>
        authorized.has(operation.endpoint) || error._tag === "RateLimited"
          ? words[RetryPolicy.remedyFor(made, error)]
          : words.never
      )
      const surely = final.every((error) => RetryPolicy.remedyFor(made, error) === "never") ? "fail" : "see the source"
      return [
        `\`${operation.name}\`${note}`,
        requests.has(operation.endpoint) ? `\`${requests.get(operation.endpoint)}\`` : "as configured",
        made.repeat,
        ...repeated,
        surely
      ]
    })
  )
  const waits = Array.from({ length: RetryPolicy.defaultTries - 1 }, (_, nth) =>
    Duration.toSeconds(RetryPolicy.waitAfter(nth + 1, new OpenApiError.RateLimited(said)))
  )
  const longest = Duration.toSeconds(RetryPolicy.maxWait)
  return `# Retries

<!-- Generated: WRITE_DOCS=1 vitest run packages/core/test/RetryPolicy.test.ts packages/{acp,artifacts}/test/plain/Retries.test.ts packages/assistant/test/Retries.test.ts -->

What \`@heddle/core\` does about an error depends on the operation. The client runs on this table.

- **safe**: it only reads, so it may be repeated.
- **keyed**: a write that the service carries out once for each idempotency key, so it may be repeated with the same key. The document promises that of the \`request_id\` of redemptions alone. An \`Idempotency-Key\` is always sent. It is a *kept key* where the client knows that the service keeps it. This is known if an answer carried \`Accept-Idempotency-Key: true\`, or the option \`idempotencyKeys\` is \`true\`.
- **once**: a write that is never sent again once it may have been received. It fails with \`OutcomeUnknown\`.

A write that the service answered with 500, 502, 503 or 504 may have been carried out. The document does not say that 503 was refused before the service acted. For a new task or message the same is true of 409 and of every status that does not say that nothing was done. It ends as \`OutcomeUnknown\` with that status and request id. A keyed write ends so after its last try, unless a later answer is about the write itself. A 429 was refused before the service acted, so every request is repeated after it.

${table([["Operation", "Request", "Kind", ...columns.map(([title]) => title), "any other refusal"], ...rows])}

- **renew, again**: the access token is renewed and the call tried again at once (\`RetryPolicy.renewal\`); a second refusal fails. Every 401 counts, whatever its body: \`InvalidToken\`, or \`SignInRequired\` where it says \`Unauthorized\`.
- **wait, again**: another try after ${waits.join(", ")} s, or after a longer \`Retry-After\` (\`RetryPolicy.backoff\`). A random addition of up to a quarter spreads the callers. ${RetryPolicy.defaultTries} tries in all. A \`Retry-After\` beyond ${longest} s fails at once.
- **wait, once more**: one more try after ${waits[0]} s.
- **fail**: the error goes to the caller at once.
- A schedule of your own: \`RetryPolicy.backoff()\` without an \`operation\` repeats no \`OutcomeUnknown\`, and \`RetryPolicy.asRequested\` makes no wait shorter than a \`Retry-After\`, of which at most 10 minutes count.

\`@heddle/oauth\` repeats a request for tokens after 429 alone, and never after \`InvalidGrant\`. A grant sends a refresh once, and the call that needs the token waits. The device flow polls at its own pace.

## Channel, artifacts and assistant

A test drives each request below against a service with that fault, five times in a row, and writes the row.

${channelTable(page)}

- **renew, again**: as above. A stream fetches a fresh ticket twice before it ends.
- **wait, again, without end**: after 1, 2, 4 s up to ${longest} s, or after a longer \`Retry-After\`, of which at most 10 minutes count.
- **backoff, without end**: after 0.25 s, doubled up to 30 s, a quarter more or less. The options of the transport change both. \`heddle-assistant\` waits at most 10 s.
- **over and over**: an answer is sent again as long as its connection is there. After its last try it begins anew, after 0.25 s up to 5 s.
- No row waits less than a \`Retry-After\`, whatever the status. On the channel, no message of that method is sent to that server before its end. Where more than ${longest} s are left, such a message fails without being sent; its error says how long.
- **new connection**: the transport opens one. What surely did not arrive is sent there; a prompt that may have arrived becomes \`Detached\`, and an answer is not delivered unless the agent asks again.
- **ACP: another request** is sent again only if it surely did not arrive, or if the server takes each message once (\`Acp-Idempotent-Posts: 1\`). At streamable HTTP, \`initialize\` gets a fresh ticket after 404 and 410.
- **answer lost**: a connection that breaks without an answer. A file that breaks off **resumes** after 0.1 s, tripled up to 8 s, where an ETag or md5 proves that it is the same file. \`Artifacts.follow\` repeats a failed list 8 times, after 0.5 s up to 10 s, or after a longer \`Retry-After\`.
- \`RetryPolicy.busyBackoff\` is the schedule of *wait, again* here. It accepts no final refusal, so a retry of \`InvalidGrant\` does not compile. The assistant's endpoints stand in the first table.
- **Artifacts** wait together: after a 429, no list of that session is sent within its \`Retry-After\`, whoever asks for it. The same is true of its files. Where more than ${longest} s are left, such a request fails without being sent. At most 10 minutes count.
- \`RetryPolicy.steadyBackoff\` goes on after 4 s each, without end. A download takes it, or another schedule, as \`retry\`. The bot gives a file a minute with it; then its card says what happened.

In the first table, "answer lost" is a write whose answer did not come; a read whose answer did not come counts as "not sent". Any other refusal: ${final.map(({ _tag }) => `\`${_tag}\``).join(", ")}.

After 429 all calls of the same client pause for that wait and go on one after the other. Where the service asks for more than ${longest} s, no call pauses, and the error comes at once.

A call ends after 2 minutes with all its tries, and no wait begins that would end later; one attempt ends after 30 s. \`CallOptions.with\` changes both, the number of tries, and gives a keyed write its key. It leaves these headers alone: ${[...CallOptions.reservedHeaders].map((name) => `\`${name}\``).join(", ")}.
`
}

const channelTable = (page: string): string => {
  const [, section = ""] = page.split("## Channel, artifacts and assistant")
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .join("\n")
}

const table = ([head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

import * as HttpApi from "@effect/platform/HttpApi"
import { Bearer } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as CallOptions from "@heddle/core/CallOptions"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"

/** Every operation that a client makes. */
export const operations: ReadonlyArray<Operation.Operation> = Object.values(Operation).flatMap((each) =>
  typeof each === "object" ? [each] : []
)

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

const busy = "wait, again"
const endless = "wait, again, without end"
const open = "backoff, without end"
const away = "again after 0.25 s up to 10 s, without end"

/** The page "Retries" of the documentation, out of the table that the client runs on. */
export const render = (): string => {
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

<!-- Generated from Operation and RetryPolicy of @heddle/core: WRITE_DOCS=1 vitest run packages/core/test/RetryPolicy.test.ts -->

What \`@heddle/core\` does about an error depends on the operation. The client runs on this table.

- **safe**: it only reads, so it may be repeated.
- **keyed**: a write that the service carries out once for each idempotency key, so it may be repeated with the same key. The document promises that of the \`request_id\` of redemptions alone. An \`Idempotency-Key\` is always sent. It is a *kept key* where the client knows that the service keeps it. This is known if an answer carried \`Accept-Idempotency-Key: true\`, or the option \`idempotencyKeys\` is \`true\`.
- **once**: a write that is never sent again once it may have been received. It fails with \`OutcomeUnknown\`.

A write that the service answered with 500, 502, 503 or 504 may have been carried out. The document does not say that 503 was refused before the service acted. It ends as \`OutcomeUnknown\` with that status and request id. A keyed write ends so after its last try, unless a later answer is about the write itself. A 429 was refused before the service acted, so every request is repeated after it.

${table([["Operation", "Request", "Kind", ...columns.map(([title]) => title), "any other refusal"], ...rows])}

- **renew, again**: the access token is renewed and the call tried again at once (\`RetryPolicy.renewal\`); a second refusal fails. Every 401 counts, whatever its body: \`InvalidToken\`, or \`SignInRequired\` where it says \`Unauthorized\`.
- **wait, again**: another try after ${waits.join(", ")} s, or after a longer \`Retry-After\` (\`RetryPolicy.backoff\`). A random addition of up to a quarter spreads the callers. ${RetryPolicy.defaultTries} tries in all. A \`Retry-After\` beyond ${longest} s fails at once.
- **wait, once more**: one more try after ${waits[0]} s.
- **fail**: the error goes to the caller at once.

\`@heddle/oauth\` repeats a request for tokens after 429 alone, and never after \`InvalidGrant\`. A grant sends a refresh once, and the call that needs the token waits. The device flow polls at its own pace.

## Channel, artifacts and assistant

The packages below have waits of their own only where the wait is not that of the table above.

${table([
  ["Request", "401", "429", "503", "500, 502, 504", "no answer", "any other refusal"],
  [
    "ACP: event stream (`GET`)",
    "renew, again; ends after 3 fresh tickets",
    endless,
    open,
    open,
    open,
    "403, 404, 410: renew, again; 409: again; else fail"
  ],
  [
    "ACP: `initialize` (`POST`)",
    "renew, again",
    busy,
    "again after 0.5, 1, 2 s",
    "fail",
    "again, if it was not sent",
    "404, 410 of streamable HTTP: renew, again; else fail"
  ],
  [
    "ACP: another request (`POST`)",
    "renew, again",
    busy,
    "fail",
    "fail",
    "again, if it was not sent",
    "404, 409, 410: new connection; else fail"
  ],
  [
    "ACP: answer or notification (`POST`)",
    "renew, again",
    busy,
    "again after 0.5, 1, 2 s",
    "again after 0.5, 1, 2 s",
    "again after 0.5, 1, 2 s",
    "404, 409, 410: new connection; else fail"
  ],
  ["Artifacts: list", "renew, again", busy, busy, "502, 504: wait, again; 500: fail", busy, "fail"],
  [
    "Artifacts: media",
    "renew, again",
    busy,
    busy,
    "502, 504: wait, again; 500: fail",
    "wait, again, or resumes",
    "fail"
  ],
  ["`heddle-assistant`: its connection", "fail", endless, away, away, away, "fail"]
])}

- **wait, again, without end**: after 1, 2, 4 s up to ${longest} s, or after a longer \`Retry-After\`, of which at most 10 minutes count.
- **backoff**: after 0.25 s, doubled up to 30 s, a quarter more or less, without end. The options of the transport change both.
- **ACP: another request** is sent again only if it surely did not arrive, or if the server takes each message once (\`Acp-Idempotent-Posts: 1\`).
- A file that breaks off **resumes** after 0.1 s, tripled up to 8 s, where an ETag or md5 proves that it is the same file. \`Artifacts.follow\` repeats a failed list 8 times, after 0.5 s up to 10 s.
- \`RetryPolicy.busyBackoff\` is the schedule of *wait, again* here. It accepts no final refusal, so a retry of \`InvalidGrant\` does not compile. The assistant's endpoints stand in the first table.

"Answer lost" is a write whose answer did not come; a read whose answer did not come counts as "not sent". Any other refusal: ${final.map(({ _tag }) => `\`${_tag}\``).join(", ")}.

After 429 all calls of the same client pause for that wait and go on one after the other. Where the service asks for more than ${longest} s, no call pauses, and the error comes at once.

A call ends after 2 minutes with all its tries, and no wait begins that would end later; one attempt ends after 30 s. \`CallOptions.with\` changes both, the number of tries, and gives a keyed write its key. It leaves these headers alone: ${[...CallOptions.reservedHeaders].map((name) => `\`${name}\``).join(", ")}.
`
}

const table = ([head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { errorResponse, status } from "../Expectation.ts"
import { endpoints, type Endpoint } from "../Endpoints.ts"

type Body = Readonly<Record<string, unknown>>

type JsonEndpoint = Endpoint & { readonly body: Body }

const large = "x".repeat(1024 * 1024)

const malformed = (endpoint: JsonEndpoint): ReadonlyArray<Check> => [
  invalid(endpoint, "malformed JSON", '{"a":'),
  invalid(endpoint, "an empty body", ""),
  invalid(endpoint, "null as the body", "null"),
  invalid(endpoint, "an array as the body", "[]"),
  invalid(endpoint, "a string as the body", '"hello"'),
  invalid(endpoint, "an empty object", "{}")
]

const invalidField = (endpoint: JsonEndpoint, field: string): ReadonlyArray<Check> => {
  const { [field]: _, ...rest } = endpoint.body
  const changed = (value: unknown) => JSON.stringify({ ...endpoint.body, [field]: value })
  return [
    invalid(endpoint, `no ${field}`, JSON.stringify(rest)),
    invalid(endpoint, `a number as ${field}`, changed(12345678)),
    invalid(endpoint, `an array as ${field}`, changed(["12345678"])),
    invalid(endpoint, `null as ${field}`, changed(null))
  ]
}

const unreadable = (endpoint: JsonEndpoint): ReadonlyArray<Check> => [
  unreadableBody(
    endpoint,
    "bytes that are not UTF-8",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  ),
  unreadableBody(endpoint, "100,000 nested arrays", "[".repeat(100_000) + "]".repeat(100_000))
]

const wrongContentType = ({ body, name, path }: JsonEndpoint): ReadonlyArray<Check> => [
  decided(
    "7.1",
    `${name} with a body of text/plain is 415`,
    { decisions: [19] },
    Api.send(
      Api.postText(path, JSON.stringify(body), { headers: { "content-type": "text/plain" } }),
      errorResponse(415, "invalid_request")
    )
  ),
  decided(
    "7.1",
    `${name} with a form is 415`,
    { decisions: [19] },
    Api.send(
      Api.postForm(
        path,
        Object.entries(body).map(([name, value]) => [name, String(value)]),
        { token: "accessToken" }
      ),
      errorResponse(415, "invalid_request")
    )
  )
]

const oversized = ({ body, name, path }: JsonEndpoint): ReadonlyArray<Check> => {
  const request = Api.postText(path, JSON.stringify({ ...body, padding: large }))
  return [
    decided(
      "8",
      `${name} with a body above 1 MiB is 413`,
      { decisions: [26] },
      Api.send(request, errorResponse(413, "invalid_request"))
    ),
    decided(
      "8",
      `${name} with a body above 1 MiB in chunks is 413`,
      { decisions: [26] },
      Api.send({ ...request, chunked: true }, errorResponse(413, "invalid_request"))
    )
  ]
}

const unknownField = ({ body, name, path, section }: JsonEndpoint): ReadonlyArray<Check> =>
  // A redemption would use up a code.
  section === "4.12"
    ? []
    : [
        decided(
          section,
          `${name} ignores unknown fields`,
          { decisions: [22] },
          Api.send(
            Api.post(path, { ...body, "x-unknown": { deep: [1, 2, 3] } }),
            // A local assistant may be offline; that has nothing to do with the unknown field.
            section === "4.7" ? status(200, 404) : status(200, 201)
          )
        )
      ]

/**
 * What every operation with a JSON body has in common: 400 for an unreadable body (contract 7.1), and the limits of
 * contract decision 26.
 */
export const checks: ReadonlyArray<Check> = endpoints
  .filter(({ method }) => method === "POST")
  .flatMap(({ body = {}, ...rest }) => {
    const endpoint = { ...rest, body }
    return [
      ...malformed(endpoint),
      ...Object.keys(body).flatMap((field) => invalidField(endpoint, field)),
      ...unreadable(endpoint),
      ...wrongContentType(endpoint),
      ...oversized(endpoint),
      ...unknownField(endpoint)
    ]
  })

function invalid({ name, path }: JsonEndpoint, what: string, text: string): Check {
  return required(
    "7.1",
    `${name} with ${what} is 400 invalid_request`,
    Api.send(Api.postText(path, text), errorResponse(400, "invalid_request"))
  )
}

function unreadableBody({ name, path }: JsonEndpoint, what: string, text: string | Uint8Array): Check {
  return decided(
    "7.1",
    `${name} with ${what} is 400 invalid_request`,
    { decisions: [26] },
    Api.send(Api.postText(path, text), errorResponse(400, "invalid_request"))
  )
}

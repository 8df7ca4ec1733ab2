import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { refusal, status } from "../Expectation.ts"
import { endpoints } from "../Endpoints.ts"

/** What every operation with a JSON body has in common: 400 for what cannot be read (7.1), and the limits of decision 26. */
export const checks: ReadonlyArray<Check> = endpoints
  .filter(({ method }) => method === "POST")
  .flatMap(({ body = {}, name, path, section }): ReadonlyArray<Check> => {
    const bad = (what: string, text: string | Uint8Array) =>
      required(
        "7.1",
        `${name} with ${what} is 400 invalid_request`,
        Api.expecting(Api.postText(path, text), refusal(400, "invalid_request"))
      )
    const odd = (what: string, text: string | Uint8Array) =>
      ruling(
        26,
        "7.1",
        `${name} with ${what} is 400 invalid_request`,
        Api.expecting(Api.postText(path, text), refusal(400, "invalid_request"))
      )
    const fields = Object.keys(body)
    return [
      bad("malformed JSON", '{"a":'),
      bad("an empty body", ""),
      bad("null as the body", "null"),
      bad("an array as the body", "[]"),
      bad("a string as the body", '"hello"'),
      bad("an empty object", "{}"),
      ...fields.flatMap((field) => [
        bad(`no ${field}`, JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)))),
        bad(`a number as ${field}`, JSON.stringify({ ...body, [field]: 12345678 })),
        bad(`an array as ${field}`, JSON.stringify({ ...body, [field]: ["12345678"] })),
        bad(`null as ${field}`, JSON.stringify({ ...body, [field]: null }))
      ]),
      odd(
        "bytes that are not UTF-8",
        Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
      ),
      odd("100,000 nested arrays", "[".repeat(100_000) + "]".repeat(100_000)),
      ruling(
        19,
        "7.1",
        `${name} with a body of text/plain is 415`,
        Api.expecting(
          Api.postText(path, JSON.stringify(body), { headers: { "content-type": "text/plain" } }),
          refusal(415, "invalid_request")
        )
      ),
      ruling(
        19,
        "7.1",
        `${name} with a form is 415`,
        Api.expecting(
          Api.form(
            path,
            Object.entries(body).map(([name, value]) => [name, String(value)]),
            { token: "accessToken" }
          ),
          refusal(415, "invalid_request")
        )
      ),
      ruling(
        26,
        "8",
        `${name} with a body above 1 MiB is 413`,
        Api.expecting(
          Api.postText(path, JSON.stringify({ ...body, padding: "x".repeat(1024 * 1024) })),
          refusal(413, "invalid_request")
        )
      ),
      ruling(
        26,
        "8",
        `${name} with a body above 1 MiB in chunks is 413`,
        Api.expecting(
          { ...Api.postText(path, JSON.stringify({ ...body, padding: "x".repeat(1024 * 1024) })), chunked: true },
          refusal(413, "invalid_request")
        )
      ),
      ...(section === "4.12"
        ? []
        : [
            ruling(
              22,
              section,
              `${name} ignores unknown fields`,
              Effect.flatMap(
                Api.send(Api.post(path, { ...body, "x-unknown": { deep: [1, 2, 3] } })),
                // A local assistant may be offline, which is no matter of the unknown field.
                (response) => Api.verify(response, section === "4.7" ? status(200, 404) : status(200, 201))
              )
            )
          ])
    ]
  })

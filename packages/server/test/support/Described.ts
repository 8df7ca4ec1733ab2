import { Ajv2020 } from "ajv/dist/2020.js"

/** An answer to a request for `path`, with or without a query. */
export interface Answer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Document = Record<string, any>

/** What in an answer is not as the OpenAPI document says. */
export const make = (document: Document): ((answer: Answer) => ReadonlyArray<unknown>) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, "doc")
  // A slash at the end changes nothing, as the document says.
  const templates = Object.keys(document["paths"]).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}/?$`)
  }))

  return (answer) => {
    const { headers, status } = answer
    const [path = ""] = answer.path.split("?")
    const method = answer.method.toLowerCase()
    const template = templates.find(({ pattern }) => pattern.test(path))?.template
    // The description of the document says these of all paths.
    if (template === undefined) return only(404, answer)
    if (method === "options") return [...only(204, answer), ...missing(["allow"], headers)]
    const operation = document["paths"][template][method === "head" ? "get" : method]
    if (operation === undefined) return [...only(405, answer), ...missing(["allow"], headers)]
    const at = ["paths", template, method === "head" ? "get" : method, "responses", String(status)]
    const response = operation.responses[status]
    if (response === undefined) return [`the status ${status} is not listed`]
    const required = Object.entries<Document>(response.headers)
      .filter(([, { $ref }]) => document["components"].headers[$ref.split("/").at(-1)].required === true)
      .map(([name]) => name)
    const faults = missing(required, headers)
    if (response.content === undefined || method === "head") return faults
    const [type = ""] = (headers.get("content-type") ?? "").split(";")
    if (response.content[type] === undefined) return [...faults, `the content type "${type}" is not listed`]
    if (type !== "application/json") return faults
    const validate = ajv.getSchema(`doc#/${pointer([...at, "content", type, "schema"])}`)
    if (validate === undefined) return [...faults, `the document has no schema of ${at.join(" ")}`]
    return [...faults, ...(validate(JSON.parse(answer.text)) === true ? [] : (validate.errors ?? []))]
  }
}

const only = (expected: number, { status }: Answer): ReadonlyArray<string> =>
  status === expected ? [] : [`the status ${status} is not listed`]

const missing = (names: ReadonlyArray<string>, headers: Headers): ReadonlyArray<string> =>
  names.filter((name) => headers.get(name) === null).map((name) => `the header ${name} is missing`)

const pointer = (path: ReadonlyArray<string>): string =>
  path.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

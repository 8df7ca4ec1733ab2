import { readFileSync } from "node:fs"
import * as schemas from "discord-api-spec/zod"
import * as z from "zod/mini"

/** One operation of Discord's own description: what it takes and what it answers, by status. */
export interface Operation {
  readonly name: string
  readonly request: z.ZodMiniType | undefined
  readonly responses: ReadonlyMap<string, z.ZodMiniType>
}

/** Finds the operation of a request; `undefined` when Discord has none there. */
export const operationOf = (method: string, path: string): Operation | undefined => {
  const wanted = path.split("/").map(decodeURIComponent)
  // A fixed word is closer than a parameter.
  const shape = shapes
    .filter(({ parts }) => fits(parts, wanted))
    .toSorted((a, b) => parameters(a.path) - parameters(b.path))[0]?.path
  const methods = shape === undefined ? undefined : described.get(shape)
  const source = methods?.get(method.toLowerCase())
  if (shape === undefined || source === undefined) return undefined
  const name = `${method} ${shape}`
  const known = operations.get(name)
  if (known !== undefined) return known
  const operation = readOperation(name, source)
  operations.set(name, operation)
  return operation
}

/** A schema of the description by its name. */
export const schemaOf = (name: string): z.ZodMiniType => {
  const schema = (schemas as Record<string, unknown>)[`${name}Schema`]
  if (schema === undefined) throw new Error(`the description has no ${name}`)
  return schema as z.ZodMiniType
}

const source = readFileSync(
  new URL("../../node_modules/discord-api-spec/build/discord-api-spec.ts", import.meta.url),
  "utf8"
)

const operations = new Map<string, Operation>()

/** The text of every method by path, as the generated `Paths` has them. */
const described: ReadonlyMap<string, ReadonlyMap<string, string>> = (() => {
  const start = source.indexOf("export interface Paths {")
  const body = source.slice(start, source.indexOf("\n}\n", start))
  const found = new Map<string, Map<string, string>>()
  for (const [, path = "", methods = ""] of body.matchAll(/\n {2}"(\/[^"]*)": \{\n([\s\S]*?)\n {2}\};/g)) {
    const inside = new Map<string, string>()
    for (const [, method = "", text = ""] of methods.matchAll(/(?:^|\n) {4}(\w+): \{\n([\s\S]*?)\n {4}\};/g))
      inside.set(method, text)
    found.set(path, inside)
  }
  return found
})()

const shapes = [...described.keys()].map((path) => ({ path, parts: path.split("/") }))

const parameters = (path: string): number => path.split("{").length

const fits = (shape: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  shape.length === path.length &&
  shape.every((part, index) => part === path[index] || (part.startsWith("{") && path[index] !== ""))

const readOperation = (name: string, text: string): Operation => {
  const shape = new TypeText(text).members()
  const request = shape.get("requestBody")
  const responses = shape.get("responses")
  return {
    name,
    request: typeof request === "string" ? new TypeText(request).schema() : undefined,
    responses: new Map(
      [...new TypeText(`${responses ?? "{}"}`.slice(1, -1)).members()].map(([status, type]) => [
        status,
        new TypeText(type).schema()
      ])
    )
  }
}

/** Turns the few forms of types that the description is generated with into schemas. */
class TypeText {
  readonly #tokens: ReadonlyArray<string>
  #at = 0

  constructor(text: string) {
    this.#tokens = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").match(/"[^"]*"|[\w$.-]+|[^\s\w]/g) ?? []
  }

  /** The members of an object type without its braces, as text. */
  members(): Map<string, string> {
    const found = new Map<string, string>()
    while (this.#at < this.#tokens.length && this.#peek() !== "}") {
      const { key, optional } = this.#key()
      const from = this.#at
      for (let depth = 0; this.#at < this.#tokens.length; this.#at++) {
        const token = this.#peek()
        if (depth === 0 && token === ";") break
        if ("{[(<".includes(token)) depth++
        if ("}])>".includes(token)) depth--
      }
      const type = this.#tokens.slice(from, this.#at).join(" ")
      this.#take(";")
      if (type !== "undefined") found.set(key, optional ? `${type}` : type)
    }
    return found
  }

  schema(): z.ZodMiniType {
    if (this.#peek() === "|") this.#at++
    const options = [this.#postfix()]
    while (this.#peek() === "|") {
      this.#at++
      options.push(this.#postfix())
    }
    return options.length === 1 ? (options[0] ?? z.unknown()) : z.union(options)
  }

  #postfix(): z.ZodMiniType {
    let type = this.#primary()
    while (this.#peek() === "[") {
      this.#take("[")
      this.#take("]")
      type = z.array(type)
    }
    return type
  }

  #primary(): z.ZodMiniType {
    const token = this.#next()
    if (token === "(") {
      const inside = this.schema()
      this.#take(")")
      return inside
    }
    if (token === "{") return this.#object()
    if (token.startsWith('"')) return z.literal(token.slice(1, -1))
    if (/^-?\d/.test(token)) return z.literal(Number(token))
    switch (token) {
      case "string":
        return z.string()
      case "number":
        return z.number()
      case "boolean":
        return z.boolean()
      case "true":
        return z.literal(true)
      case "false":
        return z.literal(false)
      case "null":
        return z.null()
      case "undefined":
        return z.undefined()
      case "unknown":
      case "any":
        return z.unknown()
      case "Record": {
        this.#take("<")
        this.schema()
        this.#take(",")
        const value = this.schema()
        this.#take(">")
        return z.record(z.string(), value)
      }
      default:
        return schemaOf(token)
    }
  }

  #object(): z.ZodMiniType {
    const shape: Record<string, z.ZodMiniType> = {}
    if (this.#peek() === "[") return this.#dictionary()
    while (this.#peek() !== "}") {
      const { key, optional } = this.#key()
      const value = this.schema()
      shape[key] = optional ? z.optional(value) : value
      if (this.#peek() === ";") this.#at++
    }
    this.#take("}")
    return z.object(shape)
  }

  /** `{ [key: string]: … }` */
  #dictionary(): z.ZodMiniType {
    while (this.#next() !== "]");
    this.#take(":")
    const value = this.schema()
    if (this.#peek() === ";") this.#at++
    this.#take("}")
    return z.record(z.string(), value)
  }

  #key(): { readonly key: string; readonly optional: boolean } {
    const key = this.#next().replaceAll('"', "")
    const optional = this.#peek() === "?"
    if (optional) this.#at++
    this.#take(":")
    return { key, optional }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ""
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? ""
  }

  #take(token: string): void {
    const found = this.#next()
    if (found !== token) throw new Error(`expected ${token}, found ${found} in ${this.#tokens.join(" ")}`)
  }
}

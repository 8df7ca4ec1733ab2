// Writes the wire schemas of ACP v1 from the JSON schema in the official SDK. `node scripts/generate.mjs`
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)
const target = fileURLToPath(new URL("../src/schema/generated/AcpSchema.ts", import.meta.url))

// Unions of whole messages: JsonRpc.ts has them, with every field kept.
const envelopes = /^(Agent|Client)(Request|Response|Notification)$|^Ext(Request|Response|Notification)$/
// What is taken from the unstable schema: agents send it already.
const unstable = ["PromptResponse", "Usage"]

// What is required by the schema, left out by some agents, and no reason to lose the rest: it counts as empty.
const emptyable = [["AvailableCommand", "description"]]

const nameOf = (ref) => ref.slice("#/$defs/".length)
const quoted = (value) => JSON.stringify(value)
const property = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))
const isNull = (schema) => schema.type === "null"

const schemaOf = (schema, defs) => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return `S.Literal(${quoted(schema.const)})`
  if (Array.isArray(schema.type)) {
    const { type, ...rest } = schema
    const inner = schemaOf({ ...rest, type: type.find((each) => each !== "null") }, defs)
    return type.includes("null") ? `S.NullOr(${inner})` : inner
  }
  const alternatives = schema.oneOf ?? schema.anyOf
  if (alternatives !== undefined && schema.properties === undefined) return unionOf(schema, alternatives, defs)
  if (schema.allOf?.length === 1 && schema.properties === undefined) return schemaOf(schema.allOf[0], defs)
  switch (schema.type) {
    case "string":
      return "S.String"
    case "integer":
    case "number":
      return "S.Number"
    case "boolean":
      return "S.Boolean"
    case "array":
      return schema["x-deserialize-skip-invalid-items"]
        ? `Open.lenientItems(${schemaOf(schema.items, defs)})`
        : `S.Array(${schemaOf(schema.items, defs)})`
    case "object":
      return objectOf(schema, defs)
    case undefined:
      if (schema.allOf !== undefined || schema.properties !== undefined) return objectOf(schema, defs)
      return "S.Unknown"
    default:
      throw new Error(`Unexpected type ${schema.type}`)
  }
}

const unionOf = (schema, alternatives, defs) => {
  const nullable = alternatives.some(isNull)
  const others = alternatives.filter((each) => !isNull(each))
  const wrap = (text) => (nullable ? `S.NullOr(${text})` : text)
  if (others.length === 1) return wrap(schemaOf(others[0], defs))
  const constants = others.filter((each) => each.type === "string" && each.const !== undefined)
  if (constants.length > 0 && others.every((each) => each.type === "string")) {
    return wrap(`Open.literals(${constants.map((each) => quoted(each.const)).join(", ")})`)
  }
  if (others.every((each) => each.type === "integer")) return wrap("S.Number")
  const members = others.map((each) => schemaOf(each, defs))
  const key = schema.discriminator?.propertyName ?? tagOf(others)
  if (key !== undefined) members.push(`Open.unknown(${quoted(key)})`)
  return wrap(`S.Union(${members.join(", ")})`)
}

// The property that is a constant in every alternative.
const tagOf = (alternatives) => {
  const constants = alternatives.map((each) =>
    Object.entries(each.properties ?? {})
      .filter(([, value]) => value.const !== undefined)
      .map(([name]) => name)
  )
  return constants[0]?.find((name) => constants.every((names) => names.includes(name)))
}

// An object may be the sum of its own properties, of others (allOf) and of alternatives (anyOf, oneOf).
const variantsOf = (schema, defs) => {
  const own = { properties: schema.properties ?? {}, required: schema.required ?? [] }
  let variants = [own]
  const times = (more) => {
    variants = variants.flatMap((left) =>
      more.map((right) => ({
        properties: { ...left.properties, ...right.properties },
        required: [...left.required, ...right.required]
      }))
    )
  }
  for (const each of schema.allOf ?? []) {
    times(variantsOf(each.$ref === undefined ? each : defs[nameOf(each.$ref)], defs))
  }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) {
    times(alternatives.flatMap((each) => variantsOf(each.$ref === undefined ? each : defs[nameOf(each.$ref)], defs)))
  }
  return variants
}

const objectOf = (schema, defs) => {
  if (schema.allOf === undefined && schema.anyOf === undefined && schema.oneOf === undefined) {
    if (schema.properties === undefined) {
      const value =
        typeof schema.additionalProperties === "object" ? schemaOf(schema.additionalProperties, defs) : "S.Unknown"
      return `S.Record({ key: S.String, value: ${value} })`
    }
  }
  const variants = variantsOf(schema, defs)
  const structs = variants.map(({ properties, required }) => {
    const fields = Object.entries(properties).map(
      ([name, value]) => `${property(name)}: ${fieldOf(value, required.includes(name), defs)}`
    )
    return `S.Struct({ ${fields.join(", ")} })`
  })
  if (structs.length === 1) return structs[0]
  const key = tagOf(variants)
  return `S.Union(${[...structs, ...(key === undefined ? [] : [`Open.unknown(${quoted(key)})`])].join(", ")})`
}

const fieldOf = (schema, required, defs) => {
  if (!required && schema.description?.startsWith("The _meta property")) return "Open.meta"
  if (schema.emptyable) return "Open.textOrEmpty"
  const text = schemaOf(schema, defs)
  const tolerant = schema["x-deserialize-default-on-error"] || schema["x-deserialize-default-on-null"]
  if (required) return text
  if (tolerant) return `Open.lenient(${text})`
  return `S.optional(${text})`
}

const referencesOf = (value) =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        key === "$ref" && typeof each === "string" ? [nameOf(each)] : referencesOf(each)
      )

const ordered = (defs) => {
  const done = new Set()
  const open = new Set()
  const visit = (name) => {
    if (done.has(name)) return
    if (open.has(name)) throw new Error(`${name} refers to itself: the generator has to learn S.suspend`)
    open.add(name)
    for (const each of referencesOf(defs[name])) visit(each)
    open.delete(name)
    done.add(name)
  }
  for (const name of Object.keys(defs)) visit(name)
  return [...done]
}

const sentence = (description) => {
  const text = (description ?? "").split("\n\n")[0].replaceAll("\n", " ").replaceAll("*/", "").trim()
  return text === "" || text.startsWith("**UNSTABLE**") ? undefined : text
}

/** The text of the generated module. */
export const generate = (stableSchema, unstableSchema, version) => {
  const defs = structuredClone(stableSchema.$defs)
  for (const name of unstable) defs[name] = unstableSchema.$defs[name]
  for (const [name, member] of emptyable) defs[name].properties[member].emptyable = true
  for (const name of Object.keys(defs)) if (envelopes.test(name)) delete defs[name]
  const modules = ordered(defs).map((name) => {
    const note = sentence(defs[name].description)
    const type =
      defs[name].type === "object" && variantsOf(defs[name], defs).length === 1
        ? `export interface ${name} extends S.Schema.Type<typeof ${name}> {}`
        : `export type ${name} = S.Schema.Type<typeof ${name}>`
    return `${note === undefined ? "" : `/** ${note} */\n`}export const ${name} = ${schemaOf(defs[name], defs)}\n${type}\n`
  })
  return `// Generated by scripts/generate.mjs from the ACP v1 JSON schema of @agentclientprotocol/sdk ${version}. Do not edit.
// Derived from a work licensed under Apache-2.0; see NOTICE.
import * as S from "effect/Schema"
import * as Open from "../Open.ts"

${modules.join("\n")}`
}

/** The text as it follows from the installed SDK. */
export const generateFromSdk = () => {
  const read = (name) => JSON.parse(readFileSync(require.resolve(`@agentclientprotocol/sdk/schema/v1/${name}`), "utf8"))
  const stable = require.resolve("@agentclientprotocol/sdk/schema/v1/schema.json")
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", `file://${stable}`), "utf8"))
  return generate(read("schema.json"), read("schema.unstable.json"), version)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, generateFromSdk())

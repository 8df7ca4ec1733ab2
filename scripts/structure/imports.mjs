import { Visitor } from "oxc-parser"

/**
 * Reads the imports of a syntax tree, in code and in types. `specifiers` are the literal ones. `computed` counts those
 * that no check can follow. `required` are the names by which the module reaches `require`.
 */
export const importsOf = (program) => {
  const specifiers = []
  const required = new Set()
  let computed = 0
  const read = (source) => {
    if (isLiteral(source)) specifiers.push(source.value)
    else computed += 1
  }
  const readSource = ({ source }) => source && read(source)
  new Visitor({
    ImportDeclaration: readSource,
    ExportNamedDeclaration: readSource,
    ExportAllDeclaration: readSource,
    ImportExpression: readSource,
    TSImportType: readSource,
    TSExternalModuleReference: ({ expression }) => read(expression),
    CallExpression: ({ arguments: [source], callee }) => {
      if (source === undefined) return
      if (callee.type === "Identifier" && callee.name === "require") read(source)
      if (isResolver(callee) && isLiteral(source)) specifiers.push(source.value)
    },
    Identifier: ({ name }) => {
      if (requires.has(name)) required.add(name)
    }
  }).visit(program)
  if (specifiers.some((specifier) => /^(node:)?module$/.test(specifier))) required.add("node:module")
  return { specifiers, computed, required: [...required] }
}

const requires = new Set(["require", "createRequire"])

const isLiteral = ({ type, value }) => type === "Literal" && typeof value === "string"

/** `import.meta.resolve`, `require.resolve` and `process.getBuiltinModule`: they load no module of ours. */
const isResolver = ({ property, type }) =>
  type === "MemberExpression" && (property.name === "resolve" || property.name === "getBuiltinModule")

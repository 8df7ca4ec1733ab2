/** The top-level definitions of a module, with their lengths in lines. */
export const definitionsOf = (program, text) => {
  const lineAt = lineCounter(text)
  return program.body.flatMap((statement) => definitionOf(statement, lineAt))
}

const definitionOf = (statement, lineAt) => {
  const { declaration = statement } = statement
  const length = lineAt(statement.end) - lineAt(statement.start) + 1
  switch (declaration?.type) {
    case "VariableDeclaration":
      return declaration.declarations.map(({ id }) => ({ name: id.name ?? "(pattern)", length }))
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return [{ name: declaration.id?.name ?? "default", length }]
    default:
      return []
  }
}

/** Gives the function from an offset to its line, counted from 1. */
const lineCounter = (text) => {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let low = 0
    let high = breaks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (breaks[middle] < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

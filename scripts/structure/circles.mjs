/** The circles of a graph, given as a map from each node to those it points to: its strongly connected components (Tarjan). */
export const circlesOf = (graph) => {
  const seen = new Map()
  const stack = []
  const circles = []
  const visit = (node) => {
    const own = { index: seen.size, low: seen.size, open: true }
    seen.set(node, own)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      const other = seen.get(next) ?? visit(next)
      if (other.open) own.low = Math.min(own.low, other.low)
    }
    if (own.low === own.index) {
      const members = stack.splice(stack.indexOf(node))
      for (const member of members) seen.get(member).open = false
      if (members.length > 1 || graph.get(node)?.has(node)) circles.push(members)
    }
    return own
  }
  for (const node of graph.keys()) if (!seen.has(node)) visit(node)
  return circles
}

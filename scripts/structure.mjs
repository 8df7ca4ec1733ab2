// Proves the structure of the repository: no circle of imports, no overfull folder, imports that point downwards only, no
// import that this check cannot read, no library outside its folder, no long definition and no long file. There is no list
// of exceptions. `structure.mjs [ROOT]` ends with 1 when a rule is broken.
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { wrongLibraries, wrongPackages, wrongRooms } from "./structure/arrows.mjs"
import { circlesOf } from "./structure/circles.mjs"
import { isGenerated, isProduct, readSources } from "./structure/sources.mjs"

const filesInFolder = 25
const linesOfFile = 400
const linesOfDefinition = 120

const rules = {
  circles: (sources) => {
    const graph = new Map([...sources].map(([path, { imports }]) => [path, imports]))
    return circlesOf(graph).map((members) => `${members.join(" → ")} → ${members[0]}`)
  },
  folders: (sources) => {
    const counts = new Map()
    for (const path of sources.keys()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    return [...counts].flatMap(([folder, count]) => (count > filesInFolder ? [`${folder} has ${count} files`] : []))
  },
  imports: (sources) => {
    const imported = new Set([...sources.values()].flatMap(({ imports }) => [...imports]))
    return [...sources].flatMap(([path, { computed, required }]) => {
      // A script that nothing imports may load built programs: it is in no circle.
      const unreadable = path.startsWith("scripts/") && !imported.has(path) ? 0 : computed
      return [
        ...(unreadable > 0 ? [`${path} has ${unreadable} imports whose specifier is no string literal`] : []),
        ...(isProduct(path) ? required : []).map((name) => `${path} uses ${name}: write import or import.meta.resolve`)
      ]
    })
  },
  packages: wrongPackages,
  rooms: wrongRooms,
  libraries: wrongLibraries,
  definitions: (sources) =>
    handWritten(sources).flatMap(([path, { definitions }]) =>
      definitions.flatMap(({ length, name }) =>
        length > linesOfDefinition ? [`${path} ${name} has ${length} lines`] : []
      )
    ),
  files: (sources) =>
    handWritten(sources).flatMap(([path, { lines }]) => (lines > linesOfFile ? [`${path} has ${lines} lines`] : []))
}

const handWritten = (sources) => [...sources].filter(([path]) => isProduct(path) && !isGenerated(path))

const sources = readSources(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))
for (const [name, broken] of Object.entries(rules)) {
  const problems = broken(sources)
  if (problems.length === 0) continue
  process.exitCode = 1
  console.log([`broken ${name}: ${problems.length}`, ...problems].join("\n  "))
}

// Proves the structure of the repository: no circle of imports, no overfull folder, rooms of the bot that import downwards
// only, no library outside its room, no long definition and no long file. There is no list of exceptions.
// `structure.mjs [ROOT]` ends with 1 when a rule is broken.
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { circlesOf } from "./structure/circles.mjs"
import { isProduct, readSources } from "./structure/sources.mjs"

/** The rooms of the bot from top to bottom. A room imports those below it only. */
const rooms = [
  ["programs"], // the files directly in src
  ["local"],
  ["bot"],
  ["operate"],
  ["commands"],
  ["assistant"],
  ["account"],
  ["intake"],
  ["turn"],
  ["outbox"],
  ["view"],
  ["access"],
  ["store"],
  ["discord"],
  ["messages"],
  ["model"],
  ["text", "concurrency"]
]
/** Libraries of which one room of the bot alone knows. */
const libraries = [
  [/^(discord\.js|@discordjs\/.*)$/, "discord"],
  [/^@effect\/sql/, "store"]
]
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
    for (const path of sources.keys())
      if (isProduct(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    return [...counts].flatMap(([folder, count]) => (count > filesInFolder ? [`${folder} has ${count} files`] : []))
  },
  rooms: (sources) => [
    ...new Set([...sources.keys()].flatMap((path) => unknownRoom(path))),
    ...[...sources].flatMap(([path, { imports }]) => [...imports].flatMap((other) => wrongImport(path, other)))
  ],
  libraries: (sources) =>
    [...sources].flatMap(([path, { specifiers }]) => {
      const room = roomOf(path)
      return specifiers.flatMap((specifier) =>
        libraries.flatMap(([pattern, owner]) =>
          room === undefined || room === owner || !pattern.test(specifier)
            ? []
            : [`${path} imports ${specifier}: only ${owner} may`]
        )
      )
    }),
  definitions: (sources) =>
    [...sources].flatMap(([path, { definitions }]) =>
      definitions.flatMap(({ length, name }) =>
        length > linesOfDefinition ? [`${path} ${name} has ${length} lines`] : []
      )
    ),
  files: (sources) =>
    [...sources].flatMap(([path, { lines }]) =>
      isProduct(path) && lines > linesOfFile ? [`${path} has ${lines} lines`] : []
    )
}

const source = "apps/bot/src/"

const roomOf = (path) => {
  if (!path.startsWith(source)) return undefined
  const [room, ...rest] = path.slice(source.length).split("/")
  return rest.length === 0 ? "programs" : room
}

const levelOf = (room) => rooms.findIndex((names) => names.includes(room))

const unknownRoom = (path) => {
  const room = roomOf(path)
  return room === undefined || levelOf(room) >= 0 ? [] : [`${source}${room} is not one of the rooms`]
}

const wrongImport = (path, other) => {
  const [from, to] = [roomOf(path), roomOf(other)]
  if (from === undefined || to === undefined || from === to) return []
  return levelOf(from) < levelOf(to) ? [] : [`${path} imports ${other}: ${from} may not import ${to}`]
}

const sources = readSources(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))
for (const [name, broken] of Object.entries(rules)) {
  const problems = broken(sources)
  if (problems.length === 0) continue
  process.exitCode = 1
  console.log([`broken ${name}: ${problems.length}`, ...problems].join("\n  "))
}

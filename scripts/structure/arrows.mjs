import { isProduct } from "./sources.mjs"

/**
 * What the product code of each package imports, besides itself: packages by name, or one module of a package. A folder
 * with a row of its own may import more. `X/package.json` says where the program X is installed.
 */
const packages = new Map([
  ["packages/core", []],
  ["packages/oauth", ["core"]],
  ["packages/acp", ["core"]],
  ["packages/artifacts", ["core", "acp"]],
  ["packages/command-line", []],
  ["packages/server", ["core", "acp", "command-line", "demo-agent/package.json"]],
  ["packages/assistant", ["core", "acp", "command-line"]],
  ["packages/demo-agent", []],
  ["packages/conformance", ["command-line"]],
  ["packages/discord-emulator", []],
  ["packages/test-support", []],
  ["packages/plain-service", []],
  ["apps/bot", ["core", "oauth", "acp", "artifacts", "command-line"]],
  ["apps/bot/src/local", ["server", "discord-emulator", "demo-agent/package.json"]]
])

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

/** Libraries of which one folder of a program alone knows. */
const libraries = [
  { program: "apps/bot", folder: "discord", pattern: /^(discord\.js|@discordjs\/.*)$/ },
  { program: "apps/bot", folder: "store", pattern: /^(@effect\/sql.*|better-sqlite3|libsql|(node:)?sqlite|pg)$/ },
  { program: "packages/server", folder: "sql", pattern: /^(@effect\/sql-.*|better-sqlite3|libsql|(node:)?sqlite|pg)$/ }
]

/** Product code that imports a package which its row does not name, or a module that is not product code. */
export const wrongPackages = (sources) =>
  [...sources].flatMap(([path, { imports, specifiers }]) => {
    if (!isProduct(path)) return []
    const own = packageOf(path)
    const row = rowOf(path)
    if (row === undefined) return [`${path}: ${own} has no row of packages that it may import`]
    const targets = [
      ...specifiers.flatMap((specifier) => specifier.match(/^@heddle\/(.+)$/)?.[1] ?? []),
      ...[...imports].filter((other) => packageOf(other) !== own).map((other) => packageOf(other).split("/").at(-1))
    ]
    const allowed = [own.split("/").at(-1), ...row]
    return [
      ...[...new Set(targets)]
        .filter((target) => !allowed.includes(target) && !allowed.includes(target.split("/")[0]))
        .map((target) => `${path} may not import @heddle/${target}`),
      ...[...imports]
        .filter((other) => !isProduct(other))
        .map((other) => `${path} imports ${other}, which is not in src`)
    ]
  })

const packageOf = (path) => path.split("/").slice(0, 2).join("/")

const rowOf = (path) => {
  const [kind, name, source, folder] = path.split("/")
  const own = packages.get(`${kind}/${name}`)
  const more = packages.get(`${kind}/${name}/${source}/${folder}`)
  return more === undefined ? own : [...own, ...more]
}

export const wrongRooms = (sources) => [
  ...new Set([...sources.keys()].flatMap((path) => unknownRoom(path))),
  ...[...sources].flatMap(([path, { imports }]) => [...imports].flatMap((other) => wrongImport(path, other)))
]

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

export const wrongLibraries = (sources) =>
  [...sources].flatMap(([path, { specifiers }]) =>
    specifiers.flatMap((specifier) =>
      libraries.flatMap(({ folder, pattern, program }) =>
        path.startsWith(`${program}/src/`) && !path.startsWith(`${program}/src/${folder}/`) && pattern.test(specifier)
          ? [`${path} imports ${specifier}: only ${folder} may`]
          : []
      )
    )
  )

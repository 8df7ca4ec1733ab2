// Takes pictures of every card, form and page on the local Discord's page: in light and dark, in English and Chinese, some
// also at the size of a phone. index.html shows them all and names the missing ones. apps/bot/test/screens/pictures.json
// lists them. Needs Chromium; HEDDLE_CHROMIUM names another path.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join, resolve } from "node:path"
import { startVitest } from "vitest/node"

const root = fileURLToPath(new URL("..", import.meta.url))
const { phone, pictures } = JSON.parse(readFileSync(join(root, "apps/bot/test/screens/pictures.json"), "utf8"))
const [folder, ...filters] = process.argv.slice(2)
if (folder === undefined || folder.startsWith("-")) {
  console.error(`Usage: npx --yes pnpm@10 screens FOLDER [${Object.keys(pictures).join(" | ")}]…`)
  process.exit(folder === "--help" ? 0 : 2)
}
process.env["HEDDLE_SCREENS"] = resolve(folder)

const built = spawnSync(join(root, "node_modules/.bin/turbo"), ["run", "build", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
  shell: process.platform === "win32"
})
if (built.status !== 0) process.exit(built.status ?? 1)

const conditions = ["@heddle/source", "node"]
const vitest = await startVitest(
  "test",
  filters.map((name) => `screens/${name}.`),
  { config: false, root, run: true, watch: false, include: ["apps/bot/test/screens/*.screens.ts"], maxWorkers: 2 },
  { resolve: { conditions }, ssr: { resolve: { conditions } } }
)
await vitest.close()

const looks = ["dark", "light"]
const filesOf = (name) =>
  name.includes(".")
    ? [name]
    : ["en", "zh"].flatMap((language) =>
        [...looks, ...(phone.includes(name) ? looks.map((look) => `phone-${look}`) : [])].map(
          (look) => `${name}-${language}-${look}.png`
        )
      )
const missing = []
const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const shown = (file, part) => {
  if (!existsSync(join(folder, file))) {
    if (filters.length === 0 || filters.includes(part)) missing.push(file)
    return `<b>${file} is missing</b>`
  }
  return file.endsWith(".png")
    ? `<a href="${file}"><img loading="lazy" src="${file}" alt="${file}"></a>`
    : `<a href="${file}">${file}</a>`
}
const sections = Object.entries(pictures).map(
  ([part, all]) =>
    `<h2>${part}</h2>${Object.entries(all)
      .map(([name, says]) => {
        const files = filesOf(name).map((file) => shown(file, part))
        return `<h3>${escape(says)} <small>${name}</small></h3><p>${files.join("\n")}</p>`
      })
      .join("\n")}`
)
writeFileSync(
  join(folder, "index.html"),
  `<!doctype html><meta charset="utf-8"><title>Screens</title>
<style>body{font:15px system-ui;margin:2rem}img{max-width:23%;max-height:420px;border:1px solid #8888;margin:2px;vertical-align:top}b{color:#c00}</style>
<h1>Screens</h1>${sections.join("\n")}\n`
)
console.log(`${join(folder, "index.html")} shows them all.`)
for (const file of missing) console.error(`missing: ${file}`)
if (missing.length > 0) process.exitCode = 1

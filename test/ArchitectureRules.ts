import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"

/** The rules of ARCHITECTURE.md, each with what breaks it, below the folder `root`. */
export const rules = {
  symbols: (markdown: string, root: string): ReadonlyArray<string> =>
    codeIn(markdown).flatMap((code) => {
      const [, path = "", symbol = ""] = /^([\w@./-]+\.(?:ts|mjs))#(\w+)$/.exec(code) ?? []
      if (path === "") return []
      if (!existsSync(join(root, path))) return [`${code}: no such file`]
      return exportsOf(join(root, path)).includes(symbol) ? [] : [`${code}: the file does not export it`]
    }),
  folders: (markdown: string, root: string): ReadonlyArray<string> =>
    codeIn(markdown).flatMap((code) => {
      if (!/^[\w@.-]+(?:\/[\w@.-]+)*\/$/.test(code)) return []
      return statSync(join(root, code.slice(0, -1)), { throwIfNoEntry: false })?.isDirectory()
        ? []
        : [`${code}: no such folder`]
    }),
  packages: (markdown: string, root: string): ReadonlyArray<string> =>
    ["packages", "apps"]
      .filter((group) => existsSync(join(root, group)))
      .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
      .filter((folder) => existsSync(join(root, folder, "package.json")))
      .filter((folder) => !new RegExp(`${folder}(?![\\w-])`).test(markdown))
      .map((folder) => `${folder} is not named`),
  words: (markdown: string): ReadonlyArray<string> => {
    const count = wordsIn(prose(markdown))
    return count > 700 ? [`${count} words outside code blocks; at most 700`] : []
  },
  sentences: (markdown: string): ReadonlyArray<string> =>
    sentencesOf(markdown).flatMap((sentence) => {
      const count = wordsIn(sentence)
      return count > 25 ? [`${count} words: ${sentence}`] : []
    })
}

const prose = (markdown: string) => markdown.replace(/^```.*?^```/gms, "")

const codeIn = (markdown: string) => [...prose(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** A paragraph's lines belong together; a list item, a table cell and a heading stand alone. */
const sentencesOf = (markdown: string) =>
  prose(markdown)
    .replace(/`[^`\n]+`/g, "code")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s|#|\|)|\|/)
    .map((block) => block.replace(/^\s*(?:[-*]|\d+\.|#+)\s+/, "").replace(/\s+/g, " "))
    .flatMap((block) => block.split(/(?<=[.!?])\s+/))

const exportsOf = (file: string) =>
  parseSync(file, readFileSync(file, "utf8")).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? [])
  )

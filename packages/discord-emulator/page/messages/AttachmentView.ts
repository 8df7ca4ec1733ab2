import type { APIAttachment } from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { icons } from "../widgets/Icons.ts"
import { localFileUrl } from "../text/Links.ts"

const PREVIEW_BYTES = 1_000_000

/** Shows a file: a picture, sound or film in place, the beginning of a text, and always its name, size and download. */
export const attachmentView = (file: APIAttachment): TemplateResult => {
  const path = localFileUrl(file.url)
  const kind = kindOf(file)
  if (path === undefined) return fileCard(file, undefined, nothing)
  switch (kind) {
    case "image": {
      const name = file.description ?? file.filename
      const spoiler = file.filename.startsWith("SPOILER_")
      const image = html`<img
        src=${path}
        alt=${name}
        width=${file.width ?? nothing}
        height=${file.height ?? nothing}
        loading="lazy"
      />`
      // An SVG may carry script: shown as a picture it cannot run any, opened as a page it could.
      const open = !/svg/i.test(file.content_type ?? "")
      return html`<figure class="image-attachment ${spoiler ? "veiled" : ""}">
        ${open ? html`<a href=${path} target="_blank" rel="noopener" title=${file.filename}>${image}</a>` : image}
      </figure>`
    }
    case "audio":
      return fileCard(file, path, html`<audio controls preload="none" src=${path}></audio>`)
    case "video":
      return fileCard(file, path, html`<video controls preload="metadata" src=${path}></video>`)
    case "text":
      return fileCard(
        file,
        path,
        file.size > PREVIEW_BYTES ? nothing : html`<text-preview .src=${path}></text-preview>`
      )
    default:
      return fileCard(file, path, nothing)
  }
}

/** Shows a size in the unit that fits. */
export const fileSize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

const fileCard = (file: APIAttachment, path: string | undefined, preview: unknown): TemplateResult =>
  html`<div class="file-card ${preview === nothing ? "" : "with-preview"}">
    <div class="file-line">
      ${icons.file}
      <div class="file-name">
        ${
          path === undefined
            ? html`<span>${file.filename}</span>`
            : html`<a href=${path} download=${file.filename}>${file.filename}</a>`
        }
        <small>${fileSize(file.size)}</small>
      </div>
      ${
        path === undefined
          ? nothing
          : html`<a class="icon-button" href=${path} download=${file.filename} aria-label="Download ${file.filename}"
              >${icons.download}</a
            >`
      }
    </div>
    ${preview}
  </div>`

const kindOf = (file: APIAttachment): "image" | "audio" | "video" | "text" | "other" => {
  const type = (file.content_type ?? "").toLowerCase()
  if (/^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)/.test(type)) return "image"
  if (type.startsWith("audio/")) return "audio"
  if (type.startsWith("video/")) return "video"
  if (/^text\/|^application\/(json|xml|x-ndjson|csv|yaml|toml|javascript)/.test(type)) return "text"
  return /\.(txt|md|csv|tsv|json|jsonl|ndjson|log|ya?ml|toml|xml|html?|css|[jt]sx?|py|rs|go|java|c|h|cpp|sh|sql|diff|patch)$/i.test(
    file.filename
  )
    ? "text"
    : "other"
}

const typesByExtension: ReadonlyMap<string, string> = new Map(
  Object.entries({
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    svg: "image/svg+xml",
    mp4: "video/mp4",
    webm: "video/webm",
    mp3: "audio/mpeg",
    ogg: "audio/ogg",
    wav: "audio/wav",
    pdf: "application/pdf",
    zip: "application/zip",
    gz: "application/gzip",
    json: "application/json; charset=utf-8",
    html: "text/html; charset=utf-8",
    htm: "text/html; charset=utf-8",
    css: "text/css; charset=utf-8",
    csv: "text/csv; charset=utf-8",
    md: "text/markdown; charset=utf-8",
    txt: "text/plain; charset=utf-8",
    log: "text/plain; charset=utf-8",
    js: "text/javascript; charset=utf-8",
    ts: "text/plain; charset=utf-8",
    py: "text/x-python; charset=utf-8"
  })
)

/** The media type of a file: the declared one if usable, otherwise the one of its extension. */
export const contentTypeOf = (filename: string, declared?: string): string => {
  const byExtension = typesByExtension.get(filename.slice(filename.lastIndexOf(".") + 1).toLowerCase())
  const isUsable =
    declared !== undefined &&
    /^[\w.+-]+\/[\w.+-]+(;[\w\s.="-]*)?$/.test(declared) &&
    !declared.startsWith("application/octet-stream")
  return isUsable ? declared : (byExtension ?? "application/octet-stream")
}

/** The file name as Discord normalizes it: without folders, spaces, control and markup characters. */
export const safeFilename = (name: string): string => {
  const cleaned = (name.split(/[/\\]/).at(-1) ?? "")
    .normalize("NFC")
    .replaceAll(/\s+/g, "_")
    .replaceAll(/[^\p{L}\p{N}._-]/gu, "")
    .replace(/^\.+/, "")
    .slice(-200)
  return cleaned === "" ? "unknown" : cleaned
}

/** The width and height of a PNG, GIF or JPEG. */
export const dimensionsOf = (data: Uint8Array): { width: number; height: number } | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (bytes.length >= 10 && bytes.toString("latin1", 0, 4) === "GIF8")
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (
    let offset = 2;
    offset + 9 < bytes.length && bytes[offset] === 0xff;
    offset += 2 + bytes.readUInt16BE(offset + 2)
  ) {
    const marker = bytes[offset + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) }
  }
  return undefined
}

/** Reads up to `length` bytes at a position; fewer at the end of the file. */
export type Read = (position: number, length: number) => Promise<Buffer>

/** The displayed size of a picture in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * The size of a video's first picture track, from the headers of its container: the MP4 family (also QuickTime), WebM
 * and Matroska. Undefined when the headers have none. Reads a few kilobytes.
 */
export const videoSize = async (read: Read, size: number, mimeType: string): Promise<Size | undefined> => {
  const steps = { remaining: maxSteps }
  const pixels = /webm|matroska/.test(mimeType)
    ? await findInElements(read, 0, size, steps)
    : await findInBoxes(read, 0, size, steps)
  return pixels !== undefined && isPixels(pixels.width) && isPixels(pixels.height) ? pixels : undefined
}

/** Limits the number of headers, because a hostile file may have very many. */
interface Steps {
  remaining: number
}

const maxSteps = 2000

const isPixels = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value <= 65_535

/** Walks the boxes of ISO/IEC 14496-12: `moov` contains tracks, and each track's `tkhd` ends with its size. */
const findInBoxes = async (read: Read, from: number, to: number, steps: Steps): Promise<Size | undefined> => {
  for (let offset = from; offset + 8 <= to && steps.remaining > 0;) {
    steps.remaining -= 1
    const head = await read(offset, 16)
    if (head.length < 8) return undefined
    const shortLength = head.readUInt32BE(0)
    const length =
      shortLength === 0
        ? to - offset
        : shortLength === 1 && head.length === 16
          ? Number(head.readBigUInt64BE(8))
          : shortLength
    const header = shortLength === 1 ? 16 : 8
    if (length < header) return undefined
    const type = head.toString("latin1", 4, 8)
    const end = Math.min(offset + length, to)
    const pixels =
      type === "moov" || type === "trak"
        ? await findInBoxes(read, offset + header, end, steps)
        : type === "tkhd"
          ? fromTrackHeader(await read(offset + header, 96))
          : undefined
    if (pixels !== undefined) return pixels
    offset = end
  }
  return undefined
}

const fromTrackHeader = (header: Buffer): Size | undefined => {
  const matrix = header[0] === 1 ? 52 : 40
  if (header.length < matrix + 44) return undefined
  // A matrix that rotates by a quarter has zeros at both ends of the diagonal.
  const isRotated = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 16) === 0
  const width = Math.round(header.readUInt32BE(matrix + 36) / 65_536)
  const height = Math.round(header.readUInt32BE(matrix + 40) / 65_536)
  // Audio tracks have no size.
  if (width === 0 || height === 0) return undefined
  return isRotated ? { width: height, height: width } : { width: width, height: height }
}

const segment = 0x18538067
const tracks = 0x1654ae6b
const trackEntry = 0xae
const video = 0xe0
const pixelWidth = 0xb0
const pixelHeight = 0xba
const cluster = 0x1f43b675

/**
 * Walks the elements of Matroska (RFC 9559) to the first video track, which is before the first cluster.
 */
const findInElements = async (read: Read, from: number, to: number, steps: Steps): Promise<Size | undefined> => {
  let width = 0
  let height = 0
  for (let offset = from; offset < to && steps.remaining > 0;) {
    steps.remaining -= 1
    const head = await read(offset, 12)
    const id = variableInteger(head, 0, true)
    const length = id === undefined ? undefined : variableInteger(head, id.bytes, false)
    if (id === undefined || length === undefined || id.value === cluster) break
    const start = offset + id.bytes + length.bytes
    // A length of only ones means that the element ends with its parent.
    const end = length.value === undefined ? to : Math.min(start + length.value, to)
    if (id.value === segment || id.value === tracks || id.value === trackEntry || id.value === video) {
      const pixels = await findInElements(read, start, end, steps)
      if (pixels !== undefined) return pixels
    } else if (id.value === pixelWidth || id.value === pixelHeight) {
      const bytes = await read(start, Math.min(end - start, 6))
      const value = bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
      if (id.value === pixelWidth) width = value
      else height = value
    }
    offset = end
  }
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** Reads an EBML number; ids keep the bit that marks their length. A value of only ones is undefined. */
const variableInteger = (bytes: Buffer, offset: number, keepsMarker: boolean) => {
  const first = bytes[offset]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  if (bytes.length < offset + length) return undefined
  let value = keepsMarker ? first : first - 2 ** (8 - length)
  let isAllOnes = value === 2 ** (8 - length) - 1
  for (const byte of bytes.subarray(offset + 1, offset + length)) {
    value = value * 256 + byte
    isAllOnes = isAllOnes && byte === 255
  }
  return { bytes: length, value: !keepsMarker && isAllOnes ? undefined : value }
}

/** Reads up to `length` bytes at a position; fewer at the end of the file. */
export type Read = (position: number, length: number) => Promise<Buffer>

/** The size of a picture in pixels, as it is shown. */
export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * The size of a video's first picture track, from the headers of its container: the MP4 family (also QuickTime), WebM and
 * Matroska. Undefined when they do not tell. Reads a few kilobytes, wherever in the file they are.
 */
export const videoSize = async (read: Read, size: number, mimeType: string): Promise<Size | undefined> => {
  const steps = { left: maxSteps }
  const found = /webm|matroska/.test(mimeType)
    ? await inElements(read, 0, size, steps)
    : await inBoxes(read, 0, size, steps)
  return found !== undefined && isPixels(found.width) && isPixels(found.height) ? found : undefined
}

/** Every header that is read counts: a file made to be long to walk is given up. */
interface Steps {
  left: number
}

const maxSteps = 2000

const isPixels = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value <= 65_535

/** Walks the boxes of ISO/IEC 14496-12: `moov` holds tracks, and each track's `tkhd` ends with its size. */
const inBoxes = async (read: Read, from: number, to: number, steps: Steps): Promise<Size | undefined> => {
  for (let at = from; at + 8 <= to && steps.left > 0;) {
    steps.left -= 1
    const head = await read(at, 16)
    if (head.length < 8) return undefined
    const short = head.readUInt32BE(0)
    const length = short === 0 ? to - at : short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    const header = short === 1 ? 16 : 8
    if (length < header) return undefined
    const type = head.toString("latin1", 4, 8)
    const end = Math.min(at + length, to)
    const found =
      type === "moov" || type === "trak"
        ? await inBoxes(read, at + header, end, steps)
        : type === "tkhd"
          ? fromTrackHeader(await read(at + header, 96))
          : undefined
    if (found !== undefined) return found
    at = end
  }
  return undefined
}

const fromTrackHeader = (header: Buffer): Size | undefined => {
  const matrix = header[0] === 1 ? 52 : 40
  if (header.length < matrix + 44) return undefined
  // Of a matrix that turns by a quarter, both ends of the diagonal are zero.
  const turned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 16) === 0
  const across = Math.round(header.readUInt32BE(matrix + 36) / 65_536)
  const down = Math.round(header.readUInt32BE(matrix + 40) / 65_536)
  // Sound has a track without a size.
  if (across === 0 || down === 0) return undefined
  return turned ? { width: down, height: across } : { width: across, height: down }
}

const segment = 0x18538067
const tracks = 0x1654ae6b
const trackEntry = 0xae
const video = 0xe0
const pixelWidth = 0xb0
const pixelHeight = 0xba
const cluster = 0x1f43b675

/**
 * Walks the elements of Matroska (RFC 9559) down to the first track with a picture; it stands before the first
 * cluster.
 */
const inElements = async (read: Read, from: number, to: number, steps: Steps): Promise<Size | undefined> => {
  let width = 0
  let height = 0
  for (let at = from; at < to && steps.left > 0;) {
    steps.left -= 1
    const head = await read(at, 12)
    const id = variableInteger(head, 0, true)
    const length = id === undefined ? undefined : variableInteger(head, id.bytes, false)
    if (id === undefined || length === undefined || id.value === cluster) break
    const start = at + id.bytes + length.bytes
    // A length of ones only is that of an element which goes on to the end of what holds it.
    const end = length.value === undefined ? to : Math.min(start + length.value, to)
    if (id.value === segment || id.value === tracks || id.value === trackEntry || id.value === video) {
      const found = await inElements(read, start, end, steps)
      if (found !== undefined) return found
    } else if (id.value === pixelWidth || id.value === pixelHeight) {
      const bytes = await read(start, Math.min(end - start, 6))
      const value = bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
      if (id.value === pixelWidth) width = value
      else height = value
    }
    at = end
  }
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** An EBML number; ids keep the bit that marks their length. A value of ones only is undefined. */
const variableInteger = (bytes: Buffer, at: number, marked: boolean) => {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  if (bytes.length < at + length) return undefined
  let value = marked ? first : first - 2 ** (8 - length)
  let ones = value === 2 ** (8 - length) - 1
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte
    ones = ones && byte === 255
  }
  return { bytes: length, value: !marked && ones ? undefined : value }
}

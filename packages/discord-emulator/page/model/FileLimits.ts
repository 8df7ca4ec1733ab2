/** Discord's limit for files of one message. */
export const FILE_LIMIT = 10

type Sized = Pick<File, "name" | "size">

/** Whether a file is larger than Discord takes; undefined when it is not. */
export const fileTooLarge = (file: Sized): string | undefined =>
  file.size > FILE_BYTES ? `${file.name} was left out: a file can have 10 MB at most.` : undefined

/** Returns the files that a message has after some more were chosen, and says what was left out of them and why. */
export const addFiles = <F extends Sized>(
  before: ReadonlyArray<F>,
  chosen: ReadonlyArray<F>
): { readonly files: ReadonlyArray<F>; readonly error: string | undefined } => {
  const files = [...before]
  let room = TOTAL_BYTES - before.reduce((sum, { size }) => sum + size, 0)
  let error: string | undefined
  for (const file of chosen) {
    const problem =
      fileTooLarge(file) ?? (file.size > room ? noRoom(file) : files.length < FILE_LIMIT ? undefined : tooMany)
    error ??= problem
    if (problem !== undefined) continue
    files.push(file)
    room -= file.size
  }
  return { files, error }
}

const FILE_BYTES = 10 * 1024 * 1024
// A whole request can have 25 MiB, and its words take some of it.
const TOTAL_BYTES = 25 * 1024 * 1024 - 64 * 1024

const tooMany = `One message takes ${FILE_LIMIT} files; the rest was left out.`
const noRoom = ({ name }: Sized): string =>
  `${name} was left out: the files of one message can have 25 MB together at most.`

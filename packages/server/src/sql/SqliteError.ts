/** SQLite's code of an error such as `SQLITE_BUSY`, below the wrappers of the SQL client; empty for other errors. */
export const codeOf = (error: unknown): string => {
  const cause = rootOf(error)
  return cause instanceof Error && "code" in cause ? String(cause.code) : ""
}

/** What the driver said, below the wrappers of the SQL client. */
export const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error

/** A path of this service as browsers see it: below the path of the public address, if that has one. */
export const of = (publicUrl: string, path: string): string => prefix(publicUrl) + path

/** The path of the public address, without a slash at its end; mostly empty. */
export const prefix = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "")

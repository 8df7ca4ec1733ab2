/** The version of this package, as its `package.json` says; a test holds them together. */
export const version = "0.0.0"

import Sqlite from "better-sqlite3"

// Another process that commits a hundred times a second, so that nothing which the server remembers stays valid.
const database = new Sqlite(process.argv[2] ?? "")
database.pragma("busy_timeout = 5000")
const write = database.prepare("UPDATE accounts SET avatar = avatar")
setInterval(() => void write.run(), 10)
process.on("disconnect", () => process.exit())

type SqliteFile = {
  exec(sql: string): void
  prepare(sql: string): { get(): Record<string, unknown> | undefined }
}

/**
 * Refuses a file that a newer program has written, before anything is changed. The number is in the
 * header of the file. [ADR-0052]
 */
export function refuseNewerSchema(db: SqliteFile, file: string, known: number): void {
  const schema = schemaOf(db)
  if (schema <= known) return
  throw new Error(
    `${file} has schema ${schema}, but this program knows only ${known}: start a newer Caracal`
  )
}

/** Only if it differs: writing needs space on the disk. */
export function keepSchema(db: SqliteFile, known: number): void {
  if (schemaOf(db) !== known) db.exec(`pragma user_version = ${known}`)
}

const schemaOf = (db: SqliteFile): number =>
  Number(db.prepare('pragma user_version').get()?.['user_version'] ?? 0)

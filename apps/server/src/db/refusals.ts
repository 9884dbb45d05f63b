import { StartRefused } from '../config/start-refused.ts'

/** Creates the refusal of a schema with steps that this version does not know (REL-20). */
export function newerSchema(where: string, lastVersion: string | undefined): StartRefused {
  const by = lastVersion === undefined ? '' : ` (last used by version ${lastVersion})`
  return new StartRefused(
    `the database ${where} was written by a newer version${by}: start that version or a later one, or restore a copy made before the upgrade`,
    { exitCode: 78 },
  )
}

/** A database that a server of an older version has open. */
export function olderServer(where: string, lastVersion: string | undefined): StartRefused {
  const by = lastVersion === undefined ? '' : ` (version ${lastVersion})`
  return new StartRefused(
    `the database ${where} is in use by an older server${by}: stop it, or use the command of its version`,
    { exitCode: 75 },
  )
}

/** A SQLite file whose content is broken (REL-13). */
export function damagedFile(path: string, cause: unknown): StartRefused {
  return new StartRefused(
    `the database ${path} is damaged: restore a copy, or save what can be read with "sqlite3 ${path} .recover", or move the file away to begin with an empty one`,
    { exitCode: 78, cause },
  )
}

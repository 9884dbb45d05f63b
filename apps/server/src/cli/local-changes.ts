import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createAuditLog } from '../audit/audit-log.ts'
import { type CommandChange, recordCommand } from '../audit/command-changes.ts'
import { systemClock } from '../clock.ts'
import { MEMORY_DATABASE } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import { formatVersion, readVersion } from '../version.ts'
import { printErrorLine } from './terminal.ts'

/** Records a change of a command in a database. */
export async function recordChangeIn(database: Database, change: CommandChange): Promise<void> {
  const audit = createAuditLog({ database, clock: systemClock, logger: quietLogger })
  await recordCommand(audit, change)
  await audit.close()
}

/**
 * Records a change that a command has made to files, in the database of the server. Without a database there is no log yet.
 * A database that cannot be opened does not undo the change: a line on standard error says so.
 */
export async function recordLocalChange(config: ServerConfig, change: CommandChange): Promise<void> {
  const { dataPath, authDatabaseUrl: url } = config
  if (url === MEMORY_DATABASE) return
  if (url === undefined && !existsSync(join(dataPath, 'database.db'))) return
  try {
    await using database = await openDatabase({
      url,
      dataPath,
      logger: quietLogger,
      clock: systemClock,
      joinsServer: true,
      appVersion: formatVersion(readVersion()),
    })
    await recordChangeIn(database, change)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    printErrorLine(`the audit log could not be written: ${reason}`)
  }
}

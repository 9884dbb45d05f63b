import { join } from 'node:path'
import { PRESENT_ENGINES } from '../../src/db/__fixtures__/engines.ts'
import { loadSqliteEngine } from '../../src/db/sqlite-engine.ts'

/** A single record of usage, as its table has it. */
export interface StoredUsage {
  readonly user_id: string
  readonly source: string
  readonly model: string
  readonly endpoint: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly duration_ms: number
  readonly created_at: number
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** The records of usage in the SQLite file of a server, oldest first. A report stores the waiting ones. */
export function readUsageRecords(dataPath: string): readonly StoredUsage[] {
  const client = loadSqliteEngine({ logger: silent, engine: PRESENT_ENGINES[0] }).open(join(dataPath, 'database.db'))
  try {
    return client.prepare('SELECT * FROM auth_usage_records ORDER BY created_at, id').all() as StoredUsage[]
  } finally {
    client.close()
  }
}

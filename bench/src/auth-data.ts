import { randomBytes } from 'node:crypto'
import Database from 'libsql'
import { CHAT_PATH } from './server.ts'

/** Number of entries of each kind in a database. */
export interface Filling {
  readonly records: number
  readonly keys: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const USERS = 50
const MODELS = 3
const DAYS = 60

interface Sum {
  readonly span: string
  readonly start: number
  readonly userId: string
  readonly key: number
  readonly model: number
  requests: number
  last: number
}

function startOfMonth(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** Puts keys, usage records of the last 60 days and their sums into the SQLite file of a server that does not run. */
export function fillAccounts(path: string, { records, keys }: Filling, owners: readonly string[]): void {
  const database = new Database(path)
  database.exec('BEGIN')
  const key = database.prepare('INSERT INTO auth_api_keys VALUES (?,?,?,?,?,?,?,?,?,?)')
  const now = Date.now()
  for (let index = 0; index < keys; index += 1) {
    const hash = randomBytes(32).toString('hex')
    key.run(
      `key-${index}`,
      `user-${index % USERS}`,
      `key ${index}`,
      hash,
      'svc-00000000',
      'user',
      '{}',
      now,
      null,
      null,
    )
  }
  const record = database.prepare('INSERT INTO auth_usage_records VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
  const sums = new Map<string, Sum>()
  for (let index = 0; index < records; index += 1) {
    const at = now - Math.floor((index / records) * DAYS * DAY_MS)
    const user = index % USERS
    const userId = owners[user] ?? `user-${user}`
    const [model, keyIndex] = [index % MODELS, index % (2 * USERS)]
    const id = at.toString(16).padStart(12, '0') + index.toString(16).padStart(8, '0')
    const names = [userId, `User ${user}`, 'apikey', `key-${keyIndex}`, `key ${keyIndex}`, `m${model}`]
    record.run(id, ...names, CHAT_PATH, 10, 5, 15, 3, at)
    const spans = [
      ['hour', at - (at % HOUR_MS)],
      ['day', at - (at % DAY_MS)],
      ['month', startOfMonth(at)],
    ] as const
    for (const [span, start] of spans) {
      const name = `${span} ${start} ${user} ${model} ${keyIndex}`
      const sum = sums.get(name) ?? { span, start, userId, key: keyIndex, model, requests: 0, last: 0 }
      sum.requests += 1
      sum.last = Math.max(sum.last, at)
      sums.set(name, sum)
    }
  }
  const insert = database.prepare('INSERT INTO auth_usage_sums VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
  for (const { span, start, userId, key: index, model, requests, last } of sums.values()) {
    const names = [userId, `User ${index % USERS}`, 'apikey', `key-${index}`, `key ${index}`, `m${model}`]
    insert.run(span, start, ...names, requests * 10, requests * 5, requests * 15, requests, last)
  }
  database.exec('COMMIT')
  database.close()
}

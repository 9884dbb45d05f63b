import { startPostgres, tempDir } from '@svc/test-kit'
import { afterAll } from 'vitest'
import type { Logger } from '../../ports.ts'
import type { DatabaseOptions } from '../database.ts'
import { PRESENT_ENGINES } from './engines.ts'

/** A place for an empty database. */
export interface DatabasePlace {
  readonly options: Pick<DatabaseOptions, 'dataPath' | 'engine' | 'url'>
  close(): Promise<void>
}

/** Every kind of database on this machine, for `describe.each`; call it at the top of a test file. */
export async function databasePlaces(): Promise<{ readonly name: string; create(): Promise<DatabasePlace> }[]> {
  const postgres = await startPostgres()
  afterAll(() => postgres[Symbol.asyncDispose]())
  if (!postgres.available) console.warn(`the suite of PostgreSQL does not run: ${postgres.reason}`)
  const sqlite = PRESENT_ENGINES.map((engine) => ({
    name: engine,
    create: async () => {
      const dir = await tempDir()
      return { options: { dataPath: dir.path, engine }, close: () => dir.close() }
    },
  }))
  if (!postgres.available) return sqlite
  const create = async (): Promise<DatabasePlace> => ({
    options: { dataPath: '/nowhere', url: await postgres.createDatabase() },
    close: () => Promise.resolve(),
  })
  return [...sqlite, { name: 'postgres', create }]
}

/** A logger that writes nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

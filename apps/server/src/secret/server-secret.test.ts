import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { createTokenHasher } from '@svc/auth'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { makeSecretFile, readSecretFile } from '../files/secret-file.ts'
import { createSecretRows, toCheck } from './secret-rows.ts'
import { openServerSecret, type SecretConfig, secretPath } from './server-secret.ts'

const ONE = 'one secret of more than thirty-two characters'
const OTHER = 'another secret of more than thirty-two characters'
const clock = createFakeClock()

/** Parts of a server at its start. */
interface Start {
  /** The secret of the configuration. */
  readonly given?: string
  /** Content of the file. @default no file */
  readonly file?: string
  /** The check value in the database. @default none */
  readonly known?: string
  /** Whether an entry is stored under a secret. */
  readonly entry?: 'session' | 'api-key' | 'invite'
}

async function addEntry({ queries }: Database, entry: Start['entry']): Promise<void> {
  const common = { id: 'x', hash: 'x', createdAt: 1, expiresAt: 2 }
  if (entry === 'session')
    await queries.change((db, { sessions }) =>
      db.insert(sessions).values({ ...common, rotatedAt: 1, previousUntil: 0 }),
    )
  if (entry === 'api-key')
    await queries.change((db, { apiKeys }) =>
      db.insert(apiKeys).values({ ...common, userId: 'u', name: 'n', prefix: 'p', role: 'user', scopes: '{}' }),
    )
  if (entry === 'invite')
    await queries.change((db, { invites }) => db.insert(invites).values({ ...common, prefix: 'p' }))
}

const OPENS: readonly (readonly [string, Start, string | 'new'])[] = [
  ['a new database makes one', {}, 'new'],
  ['a new database takes the given one', { given: ONE }, ONE],
  ['a new database takes the one of the file', { file: ONE }, ONE],
  ['a database knows the one of the file', { file: ONE, known: ONE }, ONE],
  ['a database knows the given one', { given: ONE, known: ONE }, ONE],
  ['the given one goes before the file', { given: ONE, file: OTHER, known: ONE }, ONE],
  ['a database of an earlier version takes the file', { file: ONE, entry: 'api-key' }, ONE],
  ['a database of an earlier version takes the given one', { given: ONE, entry: 'session' }, ONE],
]

const REFUSALS: readonly (readonly [string, Start, string])[] = [
  ['a lost file', { known: ONE }, 'put the file back from a copy'],
  ['a lost file with a key', { known: ONE, entry: 'api-key' }, 'put the file back from a copy'],
  ['a lost file of an earlier version, with a key', { entry: 'api-key' }, 'put the file back from a copy'],
  ['a lost file of an earlier version, with a session', { entry: 'session' }, 'put the file back from a copy'],
  ['a lost file of an earlier version, with an invite', { entry: 'invite' }, 'put the file back from a copy'],
  ['another file', { file: OTHER, known: ONE }, 'is not the secret of the database: put the file back'],
  ['another given one', { given: OTHER, known: ONE }, 'SVC_AUTH_HMAC_SECRET is not the secret of the database: set it'],
  ['another given one beside a lost file', { given: OTHER, known: ONE, entry: 'session' }, 'set it to the secret'],
  ['another given one beside the right file', { given: OTHER, file: ONE, known: ONE }, 'leave the variable out'],
  ['a cut file', { file: 'short', known: ONE }, 'restore it from a copy'],
  ['an empty file', { file: '', known: ONE }, 'restore it from a copy'],
]

const places = await databasePlaces()
type CreatePlace = (typeof places)[number]['create']

async function openWorld({ given, file, known, entry }: Start, create: CreatePlace | undefined) {
  if (create === undefined) throw new Error('this machine has no database')
  const [folder, place] = [await tempDir(), await create()]
  const options = { ...place.options, logger: silentLogger, clock, appVersion: '1' }
  const database = await openDatabase({ ...options, dataPath: folder.join('database') })
  const config: SecretConfig = { authApiKeyHmacSecret: given, dataPath: folder.path }
  if (file !== undefined) await writeFile(secretPath(config), file)
  if (known !== undefined) await createSecretRows(database).keepCheck(toCheck(known), 1)
  await addEntry(database, entry)
  return {
    database,
    config,
    path: secretPath(config),
    open: (changes: Partial<SecretConfig> = {}) => openServerSecret({ ...config, ...changes }, { database, clock }),
    async [Symbol.asyncDispose]() {
      await database.close()
      await place.close()
      await folder.close()
    },
  }
}

const isThere = (path: string) => access(path).then(...[() => true, () => false])

describe('the secret of a server', () => {
  const create = places[0]?.create

  it.each(OPENS)('is there when %s', async (_, start, wanted) => {
    await using world = await openWorld(start, create)
    const { value } = await world.open()
    expect(value).toEqual(wanted === 'new' ? expect.stringMatching(/^[0-9a-f]{64}$/) : wanted)
    expect(await createSecretRows(world.database).readCheck()).toBe(toCheck(value))
    expect((await world.open()).value).toBe(value)
    // a given secret is never written down
    expect(await isThere(world.path)).toBe(start.given === undefined || start.file !== undefined)
  })

  it.each(REFUSALS)('is refused with its remedy for %s, and nothing changes', async (_, start, remedy) => {
    await using world = await openWorld(start, create)
    const rows = createSecretRows(world.database)
    const before = await rows.readCheck()
    for (let time = 0; time < 2; time += 1)
      await expect(world.open()).rejects.toMatchObject({ exitCode: 78, message: expect.stringContaining(remedy) })
    expect(await rows.readCheck()).toBe(before)
    expect(await rows.holdsHashes()).toBe(start.entry !== undefined)
    expect(await isThere(world.path)).toBe(start.file !== undefined)
    await writeFile(world.path, ONE)
    expect((await world.open({ authApiKeyHmacSecret: undefined })).value, 'the right file comes back').toBe(ONE)
  })
})

describe.each(places)('the secret of servers on $name', ({ create }) => {
  it('is one for all servers that start together on a new database', async () => {
    await using world = await openWorld({}, create)
    const folders = ['a', 'b', 'c', 'd'].map((name) => `${world.config.dataPath}/${name}`)
    for (const dataPath of folders) await mkdir(dataPath)
    const starts = await Promise.allSettled(folders.map((dataPath) => world.open({ dataPath })))
    const [won, ...others] = starts.filter(({ status }) => status === 'fulfilled')
    expect([won?.status, others.length], 'one alone').toEqual(['fulfilled', 0])
    for (const start of starts) if (start.status === 'rejected') expect(start.reason).toMatchObject({ exitCode: 78 })
  })

  it('is not used any more once the database has another one', async () => {
    await using world = await openWorld({ file: ONE, entry: 'api-key' }, create)
    const secret = await world.open()
    expect([await secret.look(), secret.fault()]).toEqual([true, undefined])
    secret.check()
    const ended = await createSecretRows(world.database).changeSecret(toCheck(OTHER), 2)
    expect(ended).toEqual({ sessions: 0, apiKeys: 1, invites: 0 })
    expect(await secret.look()).toBe(false)
    expect(() => secret.check()).toThrow(expect.objectContaining({ kind: 'unavailable' }))
    expect(secret.fault()).toContain('restart it with the new one')
    await createSecretRows(world.database).changeSecret(toCheck(ONE), 3)
    expect(await secret.look(), 'keys of that time are gone').toBe(false)
  })
})

it('a check value tells the secret to nobody, and is not a hash of a credential', async () => {
  await using folder = await tempDir()
  const path = folder.join('secret')
  const secret = await makeSecretFile(path)
  expect(toCheck(secret)).toMatch(/^[0-9a-f]{64}$/)
  expect(toCheck(secret)).not.toContain(secret.slice(0, 8))
  for (const kind of ['session', 'api-key', 'invite', 'shared-key', 'sign-in', 'address'] as const)
    expect(createTokenHasher(secret).hash(kind, 'the secret of this database')).not.toBe(toCheck(secret))
  await rm(path)
  expect(await readSecretFile(path)).toBeUndefined()
})

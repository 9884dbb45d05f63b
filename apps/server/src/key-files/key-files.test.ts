import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createKeyFiles, type KeyFiles } from './key-files.ts'
import { createOwnPlaces, type PlacesConfig } from './own-places.ts'

type Folder = Awaited<ReturnType<typeof tempDir>>

function toConfig(folder: Folder, changes: Partial<PlacesConfig> = {}): PlacesConfig {
  return {
    authDatabaseUrl: undefined,
    backendsPath: folder.join('backends'),
    backendsSystemPath: folder.join('backends'),
    configDir: folder.join('configuration'),
    credentialsFile: undefined,
    dataPath: folder.join('data'),
    mitmCaDir: undefined,
    modelsConfigFile: undefined,
    modelsPath: folder.join('models'),
    preloadModelsConfig: undefined,
    pricesFile: undefined,
    secretsPath: undefined,
    ...changes,
  }
}

/** Key files of a server in a folder of its own, which has its usual folders. */
async function openKeyFiles(folder: Folder, changes: Partial<PlacesConfig> = {}): Promise<KeyFiles> {
  for (const name of ['configuration/secrets', 'data/secrets', 'models', 'elsewhere']) {
    await mkdir(folder.join(name), { recursive: true })
  }
  return createKeyFiles(createOwnPlaces(toConfig(folder, changes)))
}

async function write(folder: Folder, name: string): Promise<string> {
  await writeFile(folder.join(name), name)
  return folder.join(name)
}

describe('a key file', () => {
  it('is read from any place that is not the server’s', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder)
    for (const name of ['elsewhere/key', 'configuration/secrets/key', 'configuration/openai.key', 'models/key']) {
      expect(await files.read(await write(folder, name))).toBe(name)
    }
    await symlink(folder.join('elsewhere/key'), folder.join('elsewhere/link'))
    expect(await files.read(folder.join('elsewhere/link'))).toBe('elsewhere/key')
    await expect(files.read(folder.join('elsewhere/none'))).rejects.toThrow('it does not exist')
  })

  it.each<[string, Partial<PlacesConfig>]>([
    ['data/anything', {}],
    ['data/secrets/key', {}],
    ['configuration/api_keys.json', {}],
    ['configuration/runtime_settings.json.corrupt-1', {}],
    ['elsewhere/credentials.json', { credentialsFile: 'elsewhere/credentials.json' }],
    ['elsewhere/accounts.db-wal', { authDatabaseUrl: 'elsewhere/accounts.db' }],
    ['elsewhere/ca.key', { mitmCaDir: 'elsewhere' }],
    ['configuration/api_keys.json', { secretsPath: 'configuration' }],
    ['data/database.db', { secretsPath: 'data' }],
    ['data/database.db', { secretsPath: '.' }],
    ['configuration/secrets/accounts.db', { authDatabaseUrl: 'configuration/secrets/accounts.db' }],
  ])('of the server is never read: %s (%o)', async (name, changes) => {
    await using folder = await tempDir()
    const resolved = Object.entries(changes).map(([key, value]) => [key, folder.join(String(value))])
    const files = await openKeyFiles(folder, Object.fromEntries(resolved))
    const path = await write(folder, name)
    await expect(files.read(path)).rejects.toMatchObject({
      code: 'key_file_refused',
      message: /belongs to this server/,
    })
    // Nor under another name.
    await symlink(path, folder.join('elsewhere/other'))
    await expect(files.read(folder.join('elsewhere/other'))).rejects.toThrow('belongs to this server')
  })

  it('of the server is not read by a second name on the disk', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder)
    for (const [index, name] of ['data/.hmac_secret', 'data/database.db', 'configuration/api_keys.json'].entries()) {
      await link(await write(folder, name), folder.join(`elsewhere/${index}`))
      await expect(files.read(folder.join(`elsewhere/${index}`))).rejects.toThrow('belongs to this server')
    }
  })

  it('may lie in a secrets folder below the data folder', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder, { secretsPath: folder.join('data/secrets') })
    expect(await files.read(await write(folder, 'data/secrets/key'))).toBe('data/secrets/key')
    await expect(files.read(await write(folder, 'data/secrets.db'))).rejects.toThrow('belongs to this server')
  })

  it('may lie in a models folder below the data folder, but not where the server has its own', async () => {
    await using folder = await tempDir()
    await mkdir(folder.join('data/models/ca'), { recursive: true })
    const places = { modelsPath: folder.join('data/models'), mitmCaDir: folder.join('data/models/ca') }
    const files = await openKeyFiles(folder, places)
    expect(await files.read(await write(folder, 'data/models/key'))).toBe('data/models/key')
    for (const name of ['data/models.db', 'data/models/ca/ca.key', 'data/.hmac_secret']) {
      await expect(files.read(await write(folder, name)), name).rejects.toThrow('belongs to this server')
    }
  })

  it('is a regular file of a sensible size', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder)
    await expect(files.read(folder.join('elsewhere'))).rejects.toThrow('not a regular file')
    await expect(files.read('/dev/zero')).rejects.toThrow('not a regular file')
    await truncate(await write(folder, 'elsewhere/large'), 65_537)
    await expect(files.read(folder.join('elsewhere/large'))).rejects.toThrow('larger than 65536 bytes')
    await expect(files.read('/proc/self/environ')).rejects.toThrow('belongs to this server')
    await expect(files.read('a\0b')).rejects.toMatchObject({ code: 'key_file_refused' })
  })
})

describe('a key file that is named over the API', () => {
  it('lies below the secrets folder, whether it is there or not', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder)
    const secrets = folder.join('configuration/secrets')
    await files.checkGiven(`${secrets}/not-there`)
    await files.checkGiven(await write(folder, 'configuration/secrets/key'))
    await files.checkGiven(`${secrets}/sub/../key`)
    for (const path of [
      secrets,
      `${secrets}/`,
      `${secrets}/../secrets-2/key`,
      `${secrets}-2/key`,
      folder.join('elsewhere/key'),
      'key',
      '',
    ]) {
      await expect(files.checkGiven(path), path).rejects.toThrow('--secrets-path')
    }
  })

  it('may be named by a secrets folder that is a link itself', async () => {
    await using folder = await tempDir()
    const files = await openKeyFiles(folder, { secretsPath: folder.join('keys') })
    await symlink(folder.join('elsewhere'), folder.join('keys'))
    await write(folder, 'elsewhere/key')
    await files.checkGiven(folder.join('keys/key'))
    expect(await files.read(folder.join('keys/key'))).toBe('elsewhere/key')
  })
})

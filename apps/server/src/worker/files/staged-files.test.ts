import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHttpUpstream } from '@svc/http-client'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type StagedFile, type StageOptions, stageFile } from '../../cluster/staging/stage-file.ts'
import { openFileServer } from './file-server.ts'
import { removeAbandoned, sweepStaging } from './staging-folder.ts'

const MIB = 1024 * 1024
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const logs = { models: () => [], read: () => undefined, follow: () => undefined }

describe('files that are sent to a worker', async () => {
  const dir = await tempDir('svc-t-')
  const client = createHttpUpstream()
  const folders = { models: join(dir.path, 'm'), data: join(dir.path, 'd'), staging: join(dir.path, 's') }
  const open = (port = 0) =>
    openFileServer({
      host: '127.0.0.1',
      port,
      token: 't',
      folders,
      logs,
      isReady: () => true,
      clock: systemClock,
      logger,
    })
  let server = await open()
  afterAll(async () => {
    await client.close()
    await server.close()
    await dir.close()
  })

  async function makeFile(name: string, content: Buffer): Promise<StagedFile> {
    const path = join(dir.path, name)
    await writeFile(path, content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { path, sizeBytes: content.length, sha256, key: `models/m#0/${name}` }
  }

  const options = (change: Partial<StageOptions> = {}): StageOptions => ({
    client,
    address: `127.0.0.1:${server.port}`,
    token: 't',
    budgetMs: 60_000,
    onProgress: () => undefined,
    clock: { ...systemClock, sleep: async () => undefined },
    signal: AbortSignal.timeout(60_000),
    ...change,
  })

  it('arrive whole although the worker is started again after every piece', async () => {
    const content = randomBytes(17 * MIB)
    const file = await makeFile('restarted', content)
    let restarts = 0
    const restarting: StageOptions['client'] = {
      async send(request, sendOptions) {
        if (request.method === 'PUT' && restarts < 4) {
          restarts += 1
          const { port } = server
          // In the middle of a piece every second time.
          const sent = restarts % 2 === 0 ? client.send(request, sendOptions).catch(() => undefined) : undefined
          await server.close()
          await sent
          server = await open(port)
          if (sent === undefined) throw new Error('cut')
        }
        return client.send(request, sendOptions)
      },
    }
    const path = await stageFile(file, options({ client: restarting }))
    expect(restarts).toBe(4)
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(file.sha256)
  })

  it('arrive whole from two senders at once, and are not sent again', async () => {
    const file = await makeFile('twice', randomBytes(20 * MIB))
    const paths = await Promise.all([stageFile(file, options()), stageFile(file, options())])
    expect(paths[0]).toBe(paths[1])
    expect(
      createHash('sha256')
        .update(await readFile(paths[0]))
        .digest('hex'),
    ).toBe(file.sha256)
    const methods: string[] = []
    const seen: StageOptions['client'] = {
      send(request, sendOptions) {
        methods.push(request.method)
        return client.send(request, sendOptions)
      },
    }
    await stageFile(file, options({ client: seen }))
    expect(methods).toEqual(['HEAD'])
  })

  it('replace an earlier version, and fail where their bytes are others', async () => {
    const before = await makeFile('changed', randomBytes(9 * MIB))
    const path = await stageFile(before, options())
    const after = await makeFile('changed', randomBytes(10 * MIB))
    expect(await stageFile(after, options())).toBe(path)
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(after.sha256)
    const wrong = { ...after, sha256: '0'.repeat(64) }
    await expect(stageFile(wrong, options())).rejects.toMatchObject({ code: 'staging_failed' })
    const unnamed = { ...after, key: 'models/m#0/a\\b' }
    await expect(stageFile(unnamed, options())).rejects.toThrow('refuses its name')
    // The version before stays in use.
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(after.sha256)
    await rm(path)
    expect(await stageFile(after, options())).toBe(path)
  })

  it('are removed from the staging folder when they are old, or too many', async () => {
    const files = ['a', 'b', 'c'].map((name) => join(folders.staging, name))
    for (const path of files) await writeFile(path, 'x')
    const now = createFakeClock({ now: Date.now() }).now()
    const limits = {
      maxAgeMs: 3_600_000,
      leastAgeMs: 60_000,
      maxFiles: 2,
      maxBytes: 100,
      sweepMs: 1,
      abandonedEvery: 1,
    }
    expect(await sweepStaging(folders.staging, { now, limits })).toEqual({ files: 3, bytes: 3 })
    expect(await sweepStaging(folders.staging, { now: now + 120_000, limits })).toEqual({ files: 2, bytes: 2 })
    expect(await sweepStaging(folders.staging, { now: now + 7_200_000, limits })).toEqual({ files: 0, bytes: 0 })
    for (const name of ['x', 'x.sha256.part', '.x.0123456789ab.tmp']) await writeFile(join(folders.data, name), '')
    await removeAbandoned(folders.data, now - 60_000)
    expect(await readdir(folders.data)).toHaveLength(3)
    await removeAbandoned(folders.data, now + 60_000)
    expect(await readdir(folders.data)).toEqual(['x'])
  })
})

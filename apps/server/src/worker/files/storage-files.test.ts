import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createHttpUpstream } from '@svc/http-client'
import { startCutProxy, startS3, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../clock.ts'
import { createObjectStorage } from '../../cluster/object-storage/object-storage.ts'
import { readStorageSettings } from '../../cluster/object-storage/storage-settings.ts'
import { createStorageStaging, toModelObject } from '../../cluster/staging/stage-by-storage.ts'
import { stageModel } from '../../cluster/staging/stage-model.ts'
import { silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { answerEnsure, answerListDir, answerStage, answerTemp } from '../requests/file-requests.ts'
import { openFileServer } from './file-server.ts'

const dir = await tempDir('svc-staged-')
const s3 = await startS3()
const client = createHttpUpstream()
const signal = new AbortController().signal
const token = 'token-of-workers'

const openObjects = (port = s3.port) => {
  const settings = readStorageSettings({
    storageUrl: `http://127.0.0.1:${port}`,
    storageBucket: s3.bucket,
    storageRegion: 'us-east-1',
    storageAccessKey: s3.accessKey,
    storageSecretKey: s3.secretKey,
  })
  if (settings === undefined) throw new Error('settings')
  return createObjectStorage(settings, { client, clock })
}
const objects = openObjects()

const openWorker = (name: string, storage: typeof objects | undefined) =>
  openFileServer({
    host: '127.0.0.1',
    port: 0,
    token,
    folders: { models: dir.join(name, 'models'), data: dir.join(name, 'data'), staging: dir.join(name, 'staging') },
    objects: storage,
    logs: { models: () => [], read: () => undefined, follow: () => () => undefined },
    isReady: () => true,
    clock,
    logger,
  })

afterAll(async () => {
  await client.close()
  await s3.close()
  await dir.close()
})

const MIB = 1024 * 1024
const models = dir.join('front', 'models')
await mkdir(models, { recursive: true })
const weights = randomBytes(9 * MIB)
const hash = createHash('sha256').update(weights).digest('hex')
await writeFile(`${models}/chat.gguf`, weights)
await writeFile(`${models}/chat.gguf.json`, '{}')

/** Sends the model to a worker. @returns what went over the bus */
async function stage(worker: Awaited<ReturnType<typeof openWorker>>, answer = answerEnsure) {
  const asked: unknown[] = []
  const route = {
    objects,
    logger,
    async ask(_node: string, payload: unknown) {
      asked.push(payload)
      return answer(payload, { storageFiles: worker.storageFiles, logger })
    },
  }
  const request = await stageModel(
    { Model: 'chat.gguf', ModelFile: `${models}/chat.gguf`, ModelPath: models },
    {
      processKey: 'chat#0',
      folders: { models, data: dir.join('front') },
      node: { httpAddress: `127.0.0.1:${worker.port}` },
      token,
      isShared: false,
      client,
      byStorage: createStorageStaging(route, 'node'),
      onProgress: () => undefined,
      clock,
      signal,
    },
  )
  return { asked, path: request.ModelFile ?? '' }
}

describe('files of a model by the object storage', () => {
  it('are stored once, fetched by each worker from where a cut left them, and kept', async () => {
    await using cut = await startCutProxy({
      target: { port: s3.port },
      cut: { direction: 'response', afterBytes: 4 * MIB, how: 'rst' },
    })
    const [one, two] = [await openWorker('one', objects), await openWorker('two', openObjects(cut.port))]
    const first = await stage(one)
    // Asked, told that there is no such object, and asked again.
    expect(first.asked).toHaveLength(2)
    expect(first.path).toBe(dir.join('one', 'models', 'chat#0', 'chat.gguf'))
    expect((await readFile(first.path)).equals(weights)).toBe(true)
    expect(await readdir(dirname(first.path))).toContain('chat.gguf.json')
    expect((await stage(two)).asked).toHaveLength(1)
    expect(cut.cuts).toBeGreaterThan(1)
    expect((await readFile(dir.join('two', 'models', 'chat#0', 'chat.gguf'))).equals(weights)).toBe(true)
    expect((await stage(two)).asked).toEqual([])
    await Promise.all([one.close(), two.close()])
  })

  it('are stored again when the object has other bytes', async () => {
    await writeFile(dir.join('other'), 'other')
    await objects.put(toModelObject(hash), { path: dir.join('other'), sizeBytes: 5, sha256: hash }, { signal })
    const worker = await openWorker('three', objects)
    const { asked, path } = await stage(worker)
    expect(asked).toHaveLength(2)
    expect((await readFile(path)).equals(weights)).toBe(true)
    await worker.close()
  })

  it('go to a worker without the storage, and to one that keeps them elsewhere', async () => {
    const worker = await openWorker('four', undefined)
    expect((await readFile((await stage(worker)).path)).equals(weights)).toBe(true)
    await rm(dir.join('four', 'models', 'chat#0'), { recursive: true })
    const { asked, path } = await stage(worker, async () => ({ local_path: '/cache/svc/models/x' }))
    expect(asked).toHaveLength(1)
    expect((await readFile(path)).equals(weights)).toBe(true)
    await worker.close()
  })
})

describe('two front ends with other bytes of one file', () => {
  it('get each the bytes that it has asked for, or a refusal', async () => {
    const worker = await openWorker('six', objects)
    const parts = { storageFiles: worker.storageFiles, logger }
    const path = 'models/two#0/x.gguf'
    const versions = await Promise.all(
      ['first', 'second'].map(async (text) => {
        const sha256 = createHash('sha256').update(text).digest('hex')
        await writeFile(dir.join(text), text)
        const source = { path: dir.join(text), sizeBytes: text.length, sha256 }
        await objects.put(toModelObject(sha256), source, { signal })
        return { key: toModelObject(sha256), path, sha256, size: text.length }
      }),
    )
    const local = dir.join('six', 'models', 'two#0', 'x.gguf')
    const seen: string[] = []
    for (const version of versions) {
      const rest = answerEnsure(version, parts)
      seen.push(JSON.stringify(await answerEnsure(version, parts)), JSON.stringify(await rest))
      seen.push(await readFile(local, 'utf8'))
    }
    const told = JSON.stringify({ local_path: local })
    expect(seen).toEqual([told, told, 'first', told, told, 'second'])
    const both = [...versions].reverse().map((version) => answerEnsure(version, parts))
    expect(await Promise.all(both)).toEqual([{ local_path: local }, { local_path: local }])
    expect(await readFile(local, 'utf8')).toBe('first')
    await worker.close()
  })
})

describe('requests of front ends of the reference', () => {
  it('fetch by the key alone, store, list and make files, and reach nothing else', async () => {
    const worker = await openWorker('five', objects)
    const parts = { storageFiles: worker.storageFiles, logger }
    await objects.put(
      'models/m/sub/x.gguf',
      { path: dir.join('other'), sizeBytes: 5, sha256: 'f'.repeat(64) },
      { signal },
    )
    const wrong = await answerEnsure({ key: 'models/m/sub/x.gguf' }, parts)
    expect(wrong).toMatchObject({ code: 'storage_wrong_hash' })
    const sha256 = createHash('sha256').update('other').digest('hex')
    await objects.put('models/m/sub/x.gguf', { path: dir.join('other'), sizeBytes: 5, sha256 }, { signal })
    const local = dir.join('five', 'models', 'm', 'sub', 'x.gguf')
    expect(await answerEnsure({ key: 'models/m/sub/x.gguf' }, parts)).toEqual({ local_path: local })
    expect(await answerListDir({ key_prefix: 'models/m/' }, parts)).toMatchObject({
      files: expect.arrayContaining(['sub/x.gguf']),
    })
    const made = (await answerTemp(parts)) as { readonly local_path: string }
    await writeFile(made.local_path, 'result')
    expect(await answerStage({ local_path: made.local_path, key: 'ephemeral/r/1' }, parts)).toEqual({
      key: 'ephemeral/r/1',
    })
    expect(await objects.find('ephemeral/r/1', { signal })).toMatchObject({ sizeBytes: 6 })
    for (const [answer, payload] of [
      [answerStage, { local_path: dir.join('other'), key: 'k' }],
      [answerStage, { local_path: '/etc/hostname', key: 'k' }],
      [answerStage, { local_path: made.local_path, key: 'a/../b' }],
      [answerEnsure, { key: '../../other' }],
      [answerEnsure, { key: 'models/x.yaml' }],
      [answerEnsure, { key: 'ephemeral/r/1', path: 'models/../../x' }],
      [answerEnsure, {}],
      [answerListDir, { key_prefix: '../..' }],
    ] as const) {
      expect(await answer(payload, parts), JSON.stringify(payload)).toMatchObject({ error: expect.stringMatching(/./) })
    }
    expect(await answerEnsure({ key: 'k' }, { storageFiles: undefined, logger })).toMatchObject({ code: 'no_storage' })
    await worker.close()
  })
})

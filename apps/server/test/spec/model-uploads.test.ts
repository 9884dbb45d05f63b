import { link, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { SvcError } from '@svc/errors'
import { chatGguf, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { modelExists } from '../../src/catalog/add-model.ts'
import { createConfigStore } from '../../src/catalog/config-store.ts'
import { createModelUploads, type ModelUploadParts } from '../../src/catalog/model-uploads.ts'
import { ADDING_FILE, identifyFile, uploadsFolder } from '../../src/catalog/uploads-folder.ts'
import { toFileError } from '../../src/files/file-error.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const BYTES = Buffer.from(chatGguf())
const HALF = Math.ceil(BYTES.length / 2)

function begin(server: TestServer, fields: Record<string, unknown> = {}) {
  return server.post('/api/models/uploads', { filename: 'My Model.gguf', size_bytes: BYTES.length, ...fields })
}

function send(server: TestServer, id: string, offset: number | string, body: Buffer) {
  const headers = { 'content-type': 'application/octet-stream' }
  return server.call(`/api/models/uploads/${id}?offset=${offset}`, { method: 'PUT', headers, body })
}

const finish = (server: TestServer, id: string) => server.call(`/api/models/uploads/${id}/finish`, { method: 'POST' })

async function beginFile(server: TestServer, fields: Record<string, unknown> = {}): Promise<string> {
  const reply = await begin(server, fields)
  expect(reply.status, reply.text).toBe(200)
  return (reply.json() as { readonly id: string }).id
}

describe('a GGUF file that a client sends', () => {
  it('becomes a model once all its pieces are there', async () => {
    await using server = await startTestServer()
    const begun = await begin(server)
    expect(begun.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'My-Model',
      size_bytes: BYTES.length,
      received_bytes: 0,
      piece_bytes: 8 * 1024 * 1024,
    })
    const { id } = begun.json() as { readonly id: string }
    expect((await send(server, id, 0, BYTES.subarray(0, HALF))).json()).toMatchObject({ received_bytes: HALF })
    expect((await finish(server, id)).json()).toMatchObject({
      error: expect.stringContaining(`${HALF} of ${BYTES.length}`),
    })
    expect((await server.call(`/api/models/uploads/${id}`)).json()).toMatchObject({ received_bytes: HALF })
    expect((await send(server, id, HALF, BYTES.subarray(HALF))).status).toBe(200)
    const finished = await finish(server, id)
    expect([finished.status, finished.json()]).toEqual([
      200,
      { name: 'My-Model', filename: 'My-Model.yaml', weights_file: 'My-Model.gguf', size_bytes: BYTES.length },
    ])
    expect((await readdir(server.modelsPath)).sort()).toEqual(['My-Model.gguf', 'My-Model.yaml'])
    expect(await readFile(join(server.modelsPath, 'My-Model.gguf'))).toEqual(BYTES)
    const { data } = (await server.call('/v1/models')).json() as { readonly data: readonly { readonly id: string }[] }
    expect(data.map((model) => model.id)).toContain('My-Model')
    expect((await finish(server, id)).status).toBe(404)
  })

  it('gets another name when one is given, and none that is taken', async () => {
    await using server = await startTestServer()
    const id = await beginFile(server, { name: 'house' })
    await send(server, id, 0, BYTES)
    expect((await finish(server, id)).json()).toMatchObject({ name: 'house', weights_file: 'house.gguf' })
    const taken = await begin(server, { name: 'house' })
    expect([taken.status, taken.text]).toEqual([
      409,
      expect.stringContaining('a model named \\"house\\" exists already'),
    ])
    expect((await begin(server, { name: '../house' })).status).toBe(400)
  })

  it.each([
    ['model.bin', 'does not end in .gguf'],
    ['big-00001-of-00003.gguf', 'one part of several'],
  ])('is refused by its name: %s', async (filename, reason) => {
    await using server = await startTestServer()
    const reply = await begin(server, { filename })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)])
  })

  it('is refused by its first bytes, and leaves nothing', async () => {
    await using server = await startTestServer()
    const id = await beginFile(server)
    const reply = await send(server, id, 0, Buffer.from('PK some archive'))
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('is not a GGUF file')])
    expect(await readdir(server.modelsPath)).toEqual([])
  })

  it('is refused when its header cannot be read, and leaves nothing', async () => {
    await using server = await startTestServer()
    const bytes = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(200, 255)])
    const id = await beginFile(server, { size_bytes: bytes.length })
    expect((await send(server, id, 0, bytes)).status).toBe(200)
    expect((await finish(server, id)).status).toBe(400)
    expect(await readdir(server.modelsPath)).toEqual([])
    expect((await finish(server, id)).status).toBe(404)
  })

  it('takes its pieces in order, one that comes twice once, and no byte more than announced', async () => {
    await using server = await startTestServer()
    const id = await beginFile(server)
    expect((await send(server, id, HALF, BYTES.subarray(HALF))).text).toContain('begins at byte 0')
    for (let round = 0; round < 2; round += 1) {
      expect((await send(server, id, 0, BYTES.subarray(0, HALF))).json()).toMatchObject({ received_bytes: HALF })
    }
    const tooMuch = await send(server, id, HALF, Buffer.concat([BYTES.subarray(HALF), Buffer.from('x')]))
    expect([tooMuch.status, tooMuch.text]).toEqual([413, expect.stringContaining(`${BYTES.length} bytes`)])
    for (const offset of ['', '-1', '1e3', 'x']) expect((await send(server, id, offset, BYTES)).status).toBe(400)
    await send(server, id, HALF, BYTES.subarray(HALF))
    expect((await finish(server, id)).status).toBe(200)
  })

  it('can be dropped, and at most four come at once', async () => {
    await using server = await startTestServer()
    const asked = Array.from({ length: 20 }, (_, count) => begin(server, { filename: `m${count}.gguf` }))
    const replies = await Promise.all(asked)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(Array(16).fill([503, '10']))
    const ids = replies.filter(({ status }) => status === 200).map((reply) => (reply.json() as { id: string }).id)
    for (const id of ids) {
      expect((await server.call(`/api/models/uploads/${id}`, { method: 'DELETE' })).json()).toEqual({ success: true })
      expect((await send(server, id, 0, BYTES)).status).toBe(404)
    }
    expect(await readdir(server.modelsPath)).toEqual([])
    expect((await begin(server)).status).toBe(200)
  })

  it('leaves nothing when the server stops', async () => {
    const folder = await startTestServer()
    const id = await beginFile(folder)
    await send(folder, id, 0, BYTES)
    const { modelsPath } = folder
    await folder.server.close()
    expect(await readdir(modelsPath)).toEqual([])
    await folder.close()
  })
})

describe('uploads', () => {
  async function createWorld(extra: Partial<ModelUploadParts> = {}) {
    const folder = await tempDir()
    const modelsPath = folder.join('models')
    await mkdir(modelsPath)
    const uploads = createModelUploads({
      modelsPath,
      modelFiles: createConfigStore({ folder: modelsPath }),
      readFreeBytes: async () => undefined,
      alone: (change) => change(),
      serverId: 'a server',
      ...extra,
    })
    return {
      uploads,
      modelsPath,
      async [Symbol.asyncDispose]() {
        await uploads.close()
        await folder.close()
      },
    }
  }

  it('need room on the disk, beside what is being sent already', async () => {
    const free = 64 * 1024 * 1024 + 1500
    await using world = await createWorld({ readFreeBytes: async () => free })
    await world.uploads.begin({ filename: 'a.gguf', sizeBytes: 1000 })
    await expect(world.uploads.begin({ filename: 'b.gguf', sizeBytes: 1000 })).rejects.toMatchObject({
      kind: 'insufficient_storage',
      code: 'disk_full',
    })
    await world.uploads.begin({ filename: 'b.gguf', sizeBytes: 500 })
  })

  /** A piece that its sender sends when the test says so. */
  function createPiece() {
    const parts = new PassThrough()
    return { parts, send: (bytes: Uint8Array) => parts.write(bytes) }
  }

  it('keep nothing of a piece that breaks off, and take it again', async () => {
    await using world = await createWorld()
    const { id } = await world.uploads.begin({ filename: 'a.gguf', sizeBytes: BYTES.length })
    const broken = createPiece()
    const appending = world.uploads.append(id, 0, broken.parts)
    broken.send(BYTES.subarray(0, HALF))
    broken.parts.destroy(new Error('the client left'))
    await expect(appending).rejects.toThrow('the client left')
    expect(world.uploads.read(id)).toMatchObject({ receivedBytes: 0 })
    const again = createPiece()
    again.parts.end(BYTES)
    expect(await world.uploads.append(id, 0, again.parts)).toMatchObject({ receivedBytes: BYTES.length })
    expect(await world.uploads.finish(id, { signal: new AbortController().signal })).toMatchObject({ name: 'a' })
    expect(await readFile(join(world.modelsPath, 'a.gguf'))).toEqual(BYTES)
  })

  it('end a piece that is still arriving when its sender sends it again', async () => {
    await using world = await createWorld()
    const { id } = await world.uploads.begin({ filename: 'a.gguf', sizeBytes: BYTES.length })
    const silent = createPiece()
    silent.send(Buffer.from('GGUF and other bytes'))
    const first = world.uploads.append(id, 0, silent.parts)
    const later = Array.from({ length: 3 }, createPiece)
    const pending = later.map(({ parts }) => world.uploads.append(id, 0, parts))
    const settled = Promise.allSettled([first, ...pending])
    later.at(-1)?.parts.end(BYTES)
    expect((await settled).map((one) => (one.status === 'fulfilled' ? 'done' : one.reason.code))).toEqual([
      ...Array(3).fill('upload_busy'),
      'done',
    ])
    await world.uploads.finish(id, { signal: new AbortController().signal })
    expect(await readFile(join(world.modelsPath, 'a.gguf'))).toEqual(BYTES)
  })

  it('can be dropped while a piece is arriving', async () => {
    await using world = await createWorld()
    const { id } = await world.uploads.begin({ filename: 'a.gguf', sizeBytes: BYTES.length })
    const silent = createPiece()
    silent.send(BYTES.subarray(0, 10))
    const appending = expect(world.uploads.append(id, 0, silent.parts)).rejects.toMatchObject({ code: 'upload_busy' })
    await world.uploads.cancel(id)
    await appending
    expect(await readdir(world.modelsPath)).toEqual([])
  })

  it.each(['G', 'GG', 'GGU', 'PK'])('know a file that does not begin as one, in parts: %s', async (text) => {
    await using world = await createWorld()
    const { id } = await world.uploads.begin({ filename: 'a.gguf', sizeBytes: 10 })
    const piece = createPiece()
    for (const letter of text) piece.send(Buffer.from(letter))
    piece.parts.end()
    await expect(world.uploads.append(id, 0, piece.parts)).rejects.toMatchObject({ code: 'not_a_model' })
    expect(await readdir(world.modelsPath)).toEqual([])
  })

  const left = new SvcError('cancelled', 'the client closed the connection')

  function leaveBefore(abort: (reason: unknown) => void, change: () => Promise<unknown>): Promise<unknown> {
    abort(left)
    return change()
  }

  // verifies limits:upload:finish
  it.each<[string, (change: () => Promise<unknown>, abort: (reason: unknown) => void) => unknown, string]>([
    ['whose client leaves before', (change, abort) => leaveBefore(abort, change), 'cancelled'],
    ['whose client leaves while another change runs', () => Promise.reject(left), 'cancelled'],
    [
      'on a full disk',
      () => Promise.reject(toFileError(Object.assign(new Error('full'), { code: 'ENOSPC' }), 'written', 'a')),
      'disk_full',
    ],
    ['on a folder that cannot be written', () => Promise.reject(new Error('EACCES')), 'EACCES'],
    ['beside a model of its name', () => Promise.reject(modelExists('a')), 'model_exists'],
  ])('can be finished again after a finish %s', async (_name, fail, reason) => {
    let isFirst = true
    const first = new AbortController()
    await using world = await createWorld({
      alone: (async (change: () => Promise<unknown>) => {
        if (!isFirst) return await change()
        isFirst = false
        return await fail(change, (cause) => first.abort(cause))
      }) as ModelUploadParts['alone'],
    })
    const { uploads, modelsPath } = world
    const { id } = await uploads.begin({ filename: 'a.gguf', sizeBytes: BYTES.length })
    const piece = createPiece()
    piece.parts.end(BYTES)
    await uploads.append(id, 0, piece.parts)
    const failure: unknown = await uploads.finish(id, { signal: first.signal }).catch((error: unknown) => error)
    expect(SvcError.is(failure) ? failure.code : String(failure)).toContain(reason)
    expect(uploads.read(id)).toMatchObject({ receivedBytes: BYTES.length })
    expect((await readdir(modelsPath)).filter((name) => !name.startsWith('.'))).toEqual([])
    expect(await uploads.finish(id, { signal: new AbortController().signal })).toMatchObject({ name: 'a' })
    expect((await readdir(modelsPath)).sort()).toEqual(['a.gguf', 'a.yaml'])
    expect(() => uploads.read(id)).toThrow('there is no such upload')
  })

  it.each(['a model', 'not a model'])('give their result when their folder cannot be removed: %s', async (kind) => {
    await using world = await createWorld({
      async alone(change) {
        try {
          return await change()
        } finally {
          const root = dirname(uploadsFolder(world.modelsPath, 'a server'))
          await rm(root, { recursive: true })
          await writeFile(root, '')
        }
      },
    })
    const { uploads } = world
    const bytes = kind === 'a model' ? BYTES : Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(200, 255)])
    const { id } = await uploads.begin({ filename: 'a.gguf', sizeBytes: bytes.length })
    const piece = createPiece()
    piece.parts.end(bytes)
    await uploads.append(id, 0, piece.parts)
    const finishing = uploads.finish(id, { signal: new AbortController().signal })
    if (kind === 'a model') expect(await finishing).toMatchObject({ name: 'a' })
    else await expect(finishing).rejects.toMatchObject({ code: 'not_a_model' })
    expect(() => uploads.read(id)).toThrow('there is no such upload')
  })

  it('end when nothing comes for a while', async () => {
    await using world = await createWorld({ idleMs: 50 })
    const { id } = await world.uploads.begin({ filename: 'a.gguf', sizeBytes: 1000 })
    await expect.poll(() => readdir(world.modelsPath)).toEqual([])
    expect(() => world.uploads.read(id)).toThrow('there is no such upload')
  })
})

describe('after a kill', () => {
  const SERVER = '00000000-0000-4000-8000-000000000000'
  const HOUSE_YAML = 'name: house\nbackend: llama-cpp\nparameters:\n  model: house.gguf\n'

  /** The folders of a server that was killed while it made a model of an upload. */
  async function createKilled(owner = SERVER) {
    const folder = await tempDir()
    const modelsPath = folder.join('models')
    const upload = join(uploadsFolder(modelsPath, owner), 'an-upload')
    await mkdir(upload, { recursive: true })
    await mkdir(folder.join('data'))
    await writeFile(folder.join('data/server-id'), `${SERVER}\n`)
    const sent = join(upload, 'My-Model.gguf')
    await writeFile(sent, BYTES)
    return {
      folder,
      modelsPath,
      upload,
      sent,
      weights: join(modelsPath, 'house.gguf'),
      yaml: join(modelsPath, 'house.yaml'),
      /** Writes the notes that the server had made of its plan. */
      async note(fields: Record<string, unknown> = {}) {
        const identity = await identifyFile(sent)
        const adding = { weightsFile: 'house.gguf', configFile: 'house.yaml', identity, ...fields }
        await writeFile(join(upload, ADDING_FILE), JSON.stringify(adding))
      },
      /** Starts the server again. @returns the names of its models, and the files that are there */
      async restart() {
        await using server = await startTestServer({ folder: folder.path })
        const { data } = (await server.call('/v1/models')).json() as { readonly data: readonly { id: string }[] }
        const files = (await readdir(modelsPath)).sort()
        return { models: data.map(({ id }) => id), files }
      },
      [Symbol.asyncDispose]: () => folder.close(),
    }
  }
  type Killed = Awaited<ReturnType<typeof createKilled>>

  it.each<readonly [name: string, prepare: (killed: Killed) => Promise<unknown>, models: string[], files: string[]]>([
    ['half of a file', ({ sent }) => writeFile(sent, BYTES.subarray(0, HALF)), [], []],
    ['a whole file', async () => undefined, [], []],
    ['a file that was about to get its place', ({ note }) => note(), [], []],
    [
      'weights at their place, and beside the upload',
      async ({ note, sent, weights }) => {
        await note()
        await link(sent, weights)
      },
      [],
      [],
    ],
    [
      'weights at their place',
      async ({ note, sent, weights }) => {
        await note()
        await rename(sent, weights)
      },
      [],
      [],
    ],
    [
      'a whole model',
      async ({ note, sent, weights, yaml }) => {
        await note()
        await link(sent, weights)
        await writeFile(yaml, HOUSE_YAML)
      },
      ['house'],
      ['house.gguf', 'house.yaml'],
    ],
    [
      'weights of somebody else at their place',
      async ({ note, weights }) => {
        await note()
        await writeFile(weights, BYTES)
      },
      ['house.gguf'],
      ['house.gguf'],
    ],
    ['a plan that cannot be read', ({ upload }) => writeFile(join(upload, ADDING_FILE), '{"weightsFile":'), [], []],
    ['a plan for another folder', ({ note }) => note({ weightsFile: '../data/server-id' }), [], []],
  ])('nothing but whole models is there: %s', async (_, prepare, models, files) => {
    await using killed = await createKilled()
    await prepare(killed)
    expect(await killed.restart()).toEqual({ models, files })
    expect(await readFile(killed.folder.join('data/server-id'), 'utf8')).toBe(`${SERVER}\n`)
  })

  it.each([
    ['sends', 0, ['.uploads']],
    ['has given up', 1000 * 60 * 60, []],
  ])('what another server %s is dealt with', async (_, ageMs, files) => {
    await using killed = await createKilled('another server')
    const before = (Date.now() - ageMs) / 1000
    for (const path of [killed.sent, killed.upload, join(killed.upload, '..')]) await utimes(path, before, before)
    expect(await killed.restart()).toEqual({ models: [], files })
  })
})

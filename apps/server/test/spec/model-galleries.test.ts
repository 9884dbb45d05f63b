import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { eventually, ggufBytes, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { findStaging, hubPath, mockEntry, sha256, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { writeSavedState } from '../support/saved-state.ts'
import { verifies } from './verifies.ts'

function openDatabaseFile(path: string): { exec(sql: string): void; close(): void } {
  const engine = createRequire(import.meta.url)('libsql') as new (
    path: string,
  ) => {
    exec(sql: string): void
    close(): void
  }
  return new engine(path)
}

describe('the installation of a model', () => {
  verifies(
    ['model-admin:models:jobs', 'operation:finish:recorded', 'operation:record:outcome'],
    'puts its files in place, and it answers without a restart',
    async () => {
      await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
      const { server } = world
      world.setIndex([mockEntry('one')])
      const reply = await server.post('/models/apply', { id: 'test@one' })
      const { uuid, status } = reply.json() as { uuid: string; status: string }
      expect([reply.status, status]).toEqual([200, `${server.url}/models/jobs/${uuid}`])
      expect(await world.finished(uuid)).toEqual({
        deletion: false,
        file_name: 'one.bin',
        processed: true,
        message: 'completed',
        progress: 100,
        current_bytes: WEIGHTS.length,
        total_bytes: WEIGHTS.length,
        file_size: expect.any(String),
        downloaded_size: expect.any(String),
        gallery_element_name: 'test@one',
        cancelled: false,
        cancellable: false,
      })
      expect((await server.chat('one')).json()).toMatchObject({ choices: [{ message: { content: 'I am one' } }] })
      expect((await readdir(server.modelsPath)).sort()).toEqual([
        '._gallery_one.yaml',
        '.staging',
        'one.bin',
        'one.yaml',
      ])
      expect(await readdir(join(server.modelsPath, '.staging'))).toEqual([])
      expect(await world.history()).toEqual([
        {
          id: 'test@one',
          name: 'one',
          jobID: uuid,
          isBackend: false,
          taskType: 'installation',
          outcome: 'completed',
          startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      ])
      expect(await world.operations()).toEqual([])
    },
  )

  it('joins document, entry and request, the request wins, and templates get files of their own', async () => {
    const document = {
      name: 'ignored',
      config_file: 'backend: mock\nparameters:\n  model: x.bin\n  temperature: 0.1\n  top_k: 7\ncontext_size: 10\n',
      files: [{ filename: 'sub/extra.txt', uri: 'github:owner/repo/extra.txt@main' }],
      prompt_templates: [{ name: 'chat-x', content: 'hello {{.Input}}' }],
    }
    await using world = await startGalleryWorld({
      files: {
        '/owner/repo/main/doc.yaml': Buffer.from(stringify(document)),
        '/owner/repo/main/extra.txt': Buffer.from('extra'),
      },
    })
    world.setIndex([
      {
        name: 'joined',
        url: 'github:owner/repo/doc.yaml@main',
        overrides: { parameters: { temperature: 0.2 }, context_size: 20, unknown_key: { kept: true } },
      },
    ])
    const job = await world.apply({ id: 'joined', name: 'mine/own', overrides: { context_size: 30 } })
    expect(job).toMatchObject({ message: 'completed', gallery_element_name: 'joined' })
    const at = (file: string) => readFile(join(world.server.modelsPath, file), 'utf8')
    expect(await at('mine__own.yaml')).toBe(
      stringify({
        backend: 'mock',
        parameters: { model: 'x.bin', temperature: 0.2, top_k: 7 },
        context_size: 30,
        unknown_key: { kept: true },
        name: 'mine/own',
      }),
    )
    expect([await at('chat-x.tmpl'), await at('sub/extra.txt')]).toEqual(['hello {{.Input}}', 'extra'])
    expect((await world.server.call('/v1/models')).json()).toMatchObject({ data: [{ id: 'mine/own' }] })
  })

  it('writes the sampling values of its family, where nothing else sets them', async () => {
    await using world = await startGalleryWorld()
    const body = {
      name: 'own',
      config_file: { backend: 'mock', parameters: { model: 'Qwen3-8B-Q4_K_M.gguf', temperature: 0.1 } },
    }
    expect(await world.apply(body)).toMatchObject({ message: 'completed' })
    expect(await readFile(join(world.server.modelsPath, 'own.yaml'), 'utf8')).toBe(
      stringify({
        backend: 'mock',
        parameters: {
          model: 'Qwen3-8B-Q4_K_M.gguf',
          temperature: 0.1,
          top_p: 0.95,
          top_k: 20,
          min_p: 0,
          repeat_penalty: 1,
        },
        name: 'own',
      }),
    )
  })

  verifies(
    'model-admin:install:any-gguf',
    'takes GGUF files of other engines, which name no architecture',
    async () => {
      const odd = ggufBytes({ values: { 'general.file_type': ['u32', 7] } })
      const names = ['image.gguf', 'text.gguf']
      await using world = await startGalleryWorld({
        files: Object.fromEntries(names.map((name) => [hubPath(name), odd])),
      })
      const { server } = world
      const text = mockEntry('text', 'text.gguf', odd)
      world.setIndex([
        mockEntry('image', 'image.gguf', odd),
        { ...text, overrides: { ...(text.overrides as object), backend: 'llama' } },
      ])
      for (const id of ['image', 'text']) expect(await world.apply({ id })).toMatchObject({ message: 'completed' })
      expect((await server.chat('image')).status).toBe(200)
      const refused = await server.chat('text')
      expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('does not name its architecture')])
      expect(Buffer.compare(await readFile(join(server.modelsPath, 'text.gguf')), odd)).toBe(0)
    },
  )

  it('of the same name joins the one that runs; a file that is here already is not fetched', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('shared.bin')]: WEIGHTS } })
    world.setIndex([mockEntry('one', 'shared.bin'), mockEntry('two', 'shared.bin'), mockEntry('three', 'copy.bin')])
    world.origin.files.set(hubPath('copy.bin'), { content: WEIGHTS })
    expect(await world.apply({ id: 'one' })).toMatchObject({ message: 'completed' })
    expect(await world.apply({ id: 'two' })).toMatchObject({ message: 'completed' })
    expect(await world.apply({ id: 'three' })).toMatchObject({ message: 'completed' })
    const fetched = world.origin.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('.bin'))
    expect(fetched).toHaveLength(1)
    expect((await world.server.chat('three')).status).toBe(200)
  })

  it.each([
    ['an entry that there is not', { id: 'nothing' }, 'no model found with name "nothing"'],
    ['a file outside the folder', { name: 'x', files: [{ filename: '../x', uri: 'hf://a/b/c' }] }, 'cannot be called'],
    [
      'a file that would be a model',
      { name: 'x', files: [{ filename: 'y.yaml', uri: 'hf://a/b/c' }] },
      'cannot be called',
    ],
    ['a private address', { name: 'x', files: [{ filename: 'y', uri: 'http://127.0.0.1:1/y' }] }, 'URL is not allowed'],
    [
      'a form of address that nobody knows',
      { name: 'x', files: [{ filename: 'y', uri: 'ftp://a/y' }] },
      'form is not known',
    ],
    [
      'a file elsewhere on this machine',
      { name: 'x', files: [{ filename: 'y', uri: 'file:///etc/passwd' }] },
      'below the models',
    ],
    ['keys of a wrong type', { name: 'x', config_file: { context_size: 'many' } }, 'context_size'],
    ['a variant that there is not', { id: 'one', variant: 'other' }, 'has no variant "other"'],
  ])('fails for %s, and nothing lies in the folder', async (_what, body, message) => {
    await using world = await startGalleryWorld()
    world.setIndex([mockEntry('one')])
    const job = await world.apply(body)
    expect(job).toMatchObject({ processed: true, error: expect.stringContaining(message) })
    expect((await readdir(world.server.modelsPath)).filter((name) => name !== '.staging')).toEqual([])
    expect(await world.operations()).toMatchObject([{ error: expect.stringContaining(message), cancellable: false }])
  })

  it('of weights whose header contradicts them fails before anything takes its place', async () => {
    const cut = WEIGHTS.subarray(0, WEIGHTS.length - 64)
    await using world = await startGalleryWorld({ files: { [hubPath('cut.gguf')]: cut } })
    world.setIndex([mockEntry('cut', 'cut.gguf', cut)])
    expect(await world.apply({ id: 'cut' })).toMatchObject({ error: expect.stringContaining('cut.gguf is cut off') })
    expect((await readdir(world.server.modelsPath)).filter((name) => name !== '.staging')).toEqual([])
  })

  it('never replaces a model that somebody wrote', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('mine.bin')]: WEIGHTS } })
    world.setIndex([mockEntry('mine')])
    await world.server.model('mine', { rules: [{ rpc: 'Predict*', do: { text: 'I am my own' } }] })
    expect(await world.apply({ id: 'mine' })).toMatchObject({ error: expect.stringContaining('exists already') })
    expect((await world.server.chat('mine')).text).toContain('I am my own')
  })

  it('never replaces the file of a model whose name gives the same file name, or one that does not load', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    const { server } = world
    world.setIndex([mockEntry('one')])
    expect(await world.apply({ id: 'one', name: 'a/b' })).toMatchObject({ message: 'completed' })
    const before = await readFile(join(server.modelsPath, 'a__b.yaml'), 'utf8')
    const refused = { error: expect.stringContaining('the file a__b.yaml exists already') }
    expect(await world.apply({ id: 'one', name: 'a__b' })).toMatchObject(refused)
    expect((await server.post('/api/copy', { source: 'a/b', destination: 'a__b' })).json()).toMatchObject(refused)
    expect(await readFile(join(server.modelsPath, 'a__b.yaml'), 'utf8')).toBe(before)
    expect(await world.apply({ id: 'one', name: 'a/b' })).toMatchObject({ message: 'completed' })
    await server.writeModelFile('broken.yaml', 'name: [')
    expect(await world.apply({ id: 'one', name: 'broken' })).toMatchObject({
      error: expect.stringContaining('broken.yaml exists already'),
    })
    expect(await readFile(join(server.modelsPath, 'broken.yaml'), 'utf8')).toBe('name: [')
  })

  it('again takes the new files and the new configuration', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    world.setIndex([mockEntry('one')])
    await world.apply({ id: 'one' })
    expect((await world.server.chat('one')).text).toContain('I am one')
    const changed = Buffer.from('other weights')
    world.origin.files.set(hubPath('one.bin'), { content: changed })
    const job = await world.apply({
      id: 'one',
      files: [{ filename: 'one.bin', uri: 'hf://owner/repo/one.bin', sha256: sha256(changed) }],
    })
    expect(job).toMatchObject({ message: 'completed' })
    expect(await readFile(join(world.server.modelsPath, 'one.bin'), 'utf8')).toBe('other weights')
    expect((await world.server.chat('one')).status).toBe(200)
  })

  verifies(
    'flags:disable-predownload-scan:off',
    'is refused where the hub reports unsafe files, unless told',
    async () => {
      const scan = {
        '/api/models/owner/repo/scan': Buffer.from('{"hasUnsafeFile": true}'),
        [hubPath('one.bin')]: WEIGHTS,
      }
      await using world = await startGalleryWorld({ files: scan })
      world.setIndex([mockEntry('one')])
      expect(await world.apply({ id: 'one' })).toMatchObject({ error: expect.stringContaining('unsafe files') })
      await using careless = await startGalleryWorld({ files: scan, flags: ['--disable-predownload-scan'] })
      careless.setIndex([mockEntry('one')])
      expect(await careless.apply({ id: 'one' })).toMatchObject({ message: 'completed' })
      expect(careless.origin.requests.map(({ path }) => path)).not.toContain('/api/models/owner/repo/scan')
    },
  )

  it('sends the token of the hub to the hub', async () => {
    await using world = await startGalleryWorld({
      files: { [hubPath('one.bin')]: WEIGHTS },
      env: { HF_TOKEN: 'secret' },
    })
    world.setIndex([mockEntry('one')])
    await world.apply({ id: 'one' })
    const asked = world.origin.requests.filter(({ path }) => path === hubPath('one.bin'))
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', 'Bearer secret'])
    const index = world.origin.requests.find(({ path }) => path === '/index.yaml')
    expect(index?.headers.authorization).toBeUndefined()
    expect(world.server.logLines.join('')).not.toContain('secret')
  })
})

describe('an operation over HTTP', () => {
  verifies(
    [
      'operations:list:body',
      'operations:list:order',
      'operation:field:job-id',
      'operation:field:description',
      'operation:field:status',
      'operation:field:progress',
      'operation:field:phase',
      'operation:field:bytes',
      'operations:cancel:route',
      'operation:cancel:install',
      'operation:cancel:download-discarded',
      'operation:cancel:queued',
      'operation:cancel:queued-untouched',
    ],
    'shows real bytes while it runs, and a cancel leaves nothing of it',
    async () => {
      const big = Buffer.alloc(4 * 1024 * 1024, 1)
      await using world = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
      const { server } = world
      world.setIndex([mockEntry('big', 'big.bin', big)])
      world.origin.faults.push({}, { stallAfter: 2 * 1024 * 1024 })
      const { jobID } = (await server.post('/api/models/install/test@big', {})).json() as { jobID: string }
      await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(1024 * 1024)
      const queued = (await server.post('/api/models/delete/big', {})).json() as { jobID: string }
      const [waiting, running] = await world.operations()
      expect(running).toMatchObject({
        id: 'test@big',
        name: 'big',
        fullName: 'test@big',
        jobID,
        progress: expect.any(Number),
        taskType: 'installation',
        isDeletion: false,
        isBackend: false,
        isQueued: false,
        cancellable: true,
        message: 'downloading big.bin',
        phase: 'Downloading',
        currentBytes: expect.any(Number),
        totalBytes: big.length,
      })
      expect(running?.progress).toBe(Math.floor((Number(running?.currentBytes) / big.length) * 90))
      expect(waiting).toMatchObject({
        jobID: queued.jobID,
        progress: 0,
        isQueued: true,
        isDeletion: true,
        taskType: 'deletion',
      })
      for (const id of [queued.jobID, jobID]) {
        const reply = await server.post(`/api/operations/${id}/cancel`, {})
        expect([reply.status, reply.json()]).toEqual([200, { success: true, message: 'Operation cancelled' }])
      }
      expect(await world.operations()).toEqual([])
      expect(await world.history()).toMatchObject([
        { jobID, outcome: 'cancelled' },
        { jobID: queued.jobID, outcome: 'cancelled', taskType: 'deletion' },
      ])
      expect(await readdir(await findStaging(server.modelsPath, 'big'))).toEqual([])
      const again = await server.post(`/api/operations/${jobID}/cancel`, {})
      expect([again.status, again.json()]).toEqual([
        400,
        { error: `operation "${jobID}" not found or already completed` },
      ])
    },
  )

  verifies(
    ['operations:pause:route', 'operation:pause:keeps-data', 'operation:pause:resumes'],
    'that is paused keeps its data, and a new installation fetches the rest alone',
    async () => {
      const big = Buffer.alloc(4 * 1024 * 1024, 2)
      await using world = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
      world.setIndex([mockEntry('big', 'big.bin', big)])
      world.origin.faults.push({}, { stallAfter: 3 * 1024 * 1024 })
      const { jobID } = (await world.server.post('/api/models/install/big', {})).json() as { jobID: string }
      await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(2.5 * 1024 * 1024)
      const reply = await world.server.post(`/api/operations/${jobID}/pause`, {})
      expect([reply.status, reply.json()]).toEqual([200, { success: true, message: 'Operation paused' }])
      expect(await world.history()).toMatchObject([{ jobID, outcome: 'cancelled', paused: true }])
      const staging = await findStaging(world.server.modelsPath, 'big')
      expect((await readdir(staging)).sort()).toEqual(['big.bin.partial', 'big.bin.partial.json'])
      const before = world.origin.sentBytes
      expect(await world.apply({ id: 'big' })).toMatchObject({ message: 'completed' })
      expect(world.origin.sentBytes - before).toBeLessThan(1.5 * 1024 * 1024)
    },
  )

  for (const [what, change] of [
    ['has a new tag', { etag: '"2"' }],
    ['has no tag any more', { etag: null }],
    ['keeps its tag, with another length', { etag: '"1"', content: Buffer.alloc(5 * 1024 * 1024, 9) }],
    ['is the same', { content: Buffer.alloc(4 * 1024 * 1024, 2), etag: '"1"' }],
  ] as const) {
    verifies(
      ['operation:pause:resumes'],
      `that is paused never mixes two versions of a file without a hash: it ${what}`,
      async () => {
        const old = Buffer.alloc(4 * 1024 * 1024, 2)
        await using world = await startGalleryWorld({ hasConditions: false })
        const entry = mockEntry('big', 'big.bin', old)
        world.setIndex([{ ...entry, files: [{ filename: 'big.bin', uri: 'hf://owner/repo/big.bin' }] }])
        world.origin.files.set(hubPath('big.bin'), { content: old, etag: '"1"' })
        world.origin.faults.push({}, { stallAfter: 3 * 1024 * 1024 })
        const { jobID } = (await world.server.post('/api/models/install/big', {})).json() as { jobID: string }
        await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(2.5 * 1024 * 1024)
        await world.server.post(`/api/operations/${jobID}/pause`, {})
        const file = { content: Buffer.alloc(4 * 1024 * 1024, 9), ...change }
        world.origin.files.set(hubPath('big.bin'), file)
        const before = world.origin.sentBytes
        expect(await world.apply({ id: 'big' })).toMatchObject({ message: 'completed' })
        expect(sha256(await readFile(join(world.server.modelsPath, 'big.bin')))).toBe(sha256(file.content))
        if (what === 'is the same') expect(world.origin.sentBytes - before).toBeLessThan(1.5 * 1024 * 1024)
      },
    )
  }

  verifies(['operation:field:rate'], 'that downloads shows its speed and the time that is left', async () => {
    const big = Buffer.alloc(8 * 1024 * 1024, 2)
    await using world = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
    world.setIndex([mockEntry('big', 'big.bin', big)])
    world.origin.faults.push({}, { stallAfter: 6 * 1024 * 1024 })
    const { jobID } = (await world.server.post('/api/models/install/big', {})).json() as { jobID: string }
    await expect
      .poll(async () => (await world.operations())[0])
      .toMatchObject({ bytesPerSecond: expect.any(Number), secondsLeft: expect.any(Number) })
    expect((await world.server.call(`/models/jobs/${jobID}`)).json()).toMatchObject({
      bytes_per_second: expect.any(Number),
      seconds_left: expect.any(Number),
    })
    await world.server.post(`/api/operations/${jobID}/cancel`, {})
  })

  verifies(['operation:error:origin'], 'that failed names the file, its host and the cause', async () => {
    await using world = await startGalleryWorld()
    const { host } = new URL(world.origin.origin)
    world.setIndex([mockEntry('one')])
    const { error } = await world.apply({ id: 'one' })
    expect(error).toBe(`one.bin from http://${host}${hubPath('one.bin')}: the origin answers with status 404`)
  })

  verifies(
    ['operation:restart:goes-on'],
    'that runs when the server ends goes on at the next start, with what it has fetched',
    async () => {
      const big = Buffer.alloc(4 * 1024 * 1024, 2)
      await using first = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
      first.setIndex([mockEntry('big', 'big.bin', big)])
      first.origin.faults.push({}, { stallAfter: 3 * 1024 * 1024 })
      const { jobID } = (await first.server.post('/api/models/install/big', {})).json() as { jobID: string }
      await expect.poll(async () => (await first.operations())[0]?.currentBytes).toBeGreaterThan(2.5 * 1024 * 1024)
      await first.server.server.close()
      const before = first.origin.sentBytes
      await using next = await startGalleryWorld({
        folder: first.server.folder,
        env: { HF_ENDPOINT: first.origin.origin },
        files: { '/index.yaml': first.origin.files.get('/index.yaml')?.content ?? Buffer.from('[]') },
      })
      expect(await next.finished(jobID)).toMatchObject({ message: 'completed', processed: true })
      expect(await next.history()).toMatchObject([{ jobID, outcome: 'completed' }])
      expect(first.origin.sentBytes - before).toBeLessThan(1.5 * 1024 * 1024)
    },
  )

  verifies(
    ['operation:restart:committed'],
    'that had put its files in place when the server was killed is complete',
    async () => {
      await using first = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
      first.setIndex([mockEntry('one')])
      expect(await first.apply({ id: 'one' })).toMatchObject({ message: 'completed' })
      const [{ jobID } = {}] = await first.history()
      await first.server.server.close()
      // As a kill leaves it, after the last step and before its end is written.
      const database = openDatabaseFile(join(first.server.folder, 'data/database.db'))
      database.exec("UPDATE operations SET state = 'running', finished_at = NULL")
      database.close()
      await using next = await startGalleryWorld({ folder: first.server.folder })
      expect(await next.operations()).toEqual([])
      expect(await next.history()).toMatchObject([{ jobID, outcome: 'completed' }])
      expect(next.origin.requests).toEqual([])
    },
  )

  verifies(
    ['operations:dismiss:route', 'operation:dismiss:recorded', 'operation:dismiss:no-retry', 'operation:record:error'],
    'that failed stays listed until it is dismissed',
    async () => {
      await using world = await startGalleryWorld()
      world.setIndex([])
      const { jobID } = (await world.server.post('/api/models/install/none', {})).json() as { jobID: string }
      await expect.poll(async () => (await world.operations())[0]?.error).toContain('no model found')
      expect(await world.history()).toEqual([])
      for (const id of [jobID, 'unknown']) {
        const reply = await world.server.post(`/api/operations/${id}/dismiss`, {})
        expect([reply.status, reply.json()]).toEqual([200, { success: true, message: 'Operation dismissed' }])
      }
      expect(await world.operations()).toEqual([])
      expect(await world.history()).toMatchObject([
        { jobID, outcome: 'failed', error: expect.stringContaining('no model found') },
      ])
    },
  )

  verifies(
    ['operation:retry:new-install'],
    'that failed is recorded once by a new installation, which ends well',
    async () => {
      await using world = await startGalleryWorld()
      world.setIndex([mockEntry('one')])
      expect(await world.apply({ id: 'test@one' })).toMatchObject({ error: expect.stringContaining('status 404') })
      world.origin.files.set(hubPath('one.bin'), { content: WEIGHTS })
      expect(await world.apply({ id: 'test@one' })).toMatchObject({ message: 'completed' })
      expect((await world.history()).map(({ outcome }) => outcome)).toEqual(['completed', 'failed'])
      expect(await world.operations()).toEqual([])
    },
  )

  verifies(
    ['operations:history:body', 'operations:history:clear', 'operation:history:fifty'],
    'is one of the last 50 in the history, which can be cleared',
    async () => {
      await using world = await startGalleryWorld()
      world.setIndex([])
      for (let index = 0; index < 52; index += 1) await world.apply({ id: `none-${index}` })
      for (const { jobID } of await world.operations()) await world.server.post(`/api/operations/${jobID}/dismiss`, {})
      await world.apply({ id: 'unacknowledged' })
      const names = (await world.history()).map(({ name }) => name)
      expect([names.length, names[0], names.at(-1)]).toEqual([50, 'none-51', 'none-2'])
      const reply = await world.server.call('/api/operations/history', { method: 'DELETE' })
      expect([reply.status, reply.json()]).toEqual([200, { success: true }])
      expect(await world.history()).toEqual([])
      expect(await world.operations()).toMatchObject([{ name: 'unacknowledged' }])
    },
  )
})

describe('the history', () => {
  verifies('operations:history:clear-failure', 'that cannot be cleared is answered with the reason', async () => {
    await using world = await startGalleryWorld()
    const database = openDatabaseFile(join(world.server.folder, 'data/database.db'))
    // The server may be writing.
    await eventually(() => database.exec('DROP TABLE operations'))
    database.close()
    const reply = await world.server.call('/api/operations/history', { method: 'DELETE' })
    expect([reply.status, reply.json()]).toEqual([
      500,
      { error: expect.stringContaining('the history could not be cleared: ') },
    ])
  })
})

describe('the files of a model', () => {
  const content = [1, 2, 3].map((byte) => Buffer.alloc(2 * 1024 * 1024, byte))
  const names = ['a.bin', 'b.bin', 'c.bin']

  verifies('limits:downloads:concurrency', 'are fetched one at a time, or as many as the flag says', async () => {
    for (const [flags, started] of [
      [[], ['a.bin']],
      [['--artifact-download-concurrency=2'], ['a.bin', 'b.bin']],
    ] as const) {
      await using world = await startGalleryWorld({ flags })
      for (const [index, name] of names.entries()) {
        world.origin.files.set(hubPath(name), {
          content: content[index] ?? Buffer.alloc(0),
          stop: { at: 1024 * 1024, how: 'stall' },
        })
      }
      const files = names.flatMap((name, index) => mockEntry('m', name, content[index]).files)
      world.setIndex([{ ...mockEntry('m', 'a.bin'), files }])
      const { jobID } = (await world.server.post('/api/models/install/m', {})).json() as { jobID: string }
      const wanted = started.length * 1024 * 1024
      await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(wanted * 0.7)
      const fetched = world.origin.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('.bin'))
      expect(fetched.map(({ path }) => path).sort()).toEqual(started.map(hubPath))
      await world.server.post(`/api/operations/${jobID}/cancel`, {})
    }
  })
})

describe('the deletion of a model', () => {
  verifies(
    ['model-admin:models:delete', 'operation:kind:values'],
    'takes its files, but none that another model needs',
    async () => {
      await using world = await startGalleryWorld({
        files: { [hubPath('shared.bin')]: WEIGHTS, [hubPath('own.bin')]: Buffer.from('own') },
      })
      const { server } = world
      const own = Buffer.from('own')
      const both = mockEntry('both', 'shared.bin')
      const files = [both.files, mockEntry('x', 'own.bin', own).files].flat()
      world.setIndex([{ ...both, files }, mockEntry('other', 'shared.bin')])
      await world.apply({ id: 'both' })
      await world.apply({ id: 'other' })
      expect((await server.chat('both')).status).toBe(200)
      const { jobID, message } = (await server.post('/api/models/delete/test@both', {})).json() as Record<
        string,
        string
      >
      expect(message).toBe('Deletion started')
      expect(await world.finished(jobID ?? '')).toMatchObject({ deletion: true, message: 'completed' })
      expect((await readdir(server.modelsPath)).filter((name) => name !== '.staging').sort()).toEqual([
        '._gallery_other.yaml',
        'other.yaml',
        'shared.bin',
      ])
      expect((await server.chat('both')).status).toBe(404)
      expect((await server.chat('other')).status).toBe(200)
    },
  )

  verifies('operation:retry:not-for-removals', 'that fails says why, and the model stays', async () => {
    await using world = await startGalleryWorld()
    await world.server.model('one')
    await writeFile(join(world.server.modelsPath, 'alias.yaml'), 'name: other\nalias: one\n')
    const { jobID } = (await world.server.post('/api/models/delete/one', {})).json() as { jobID: string }
    expect(await world.finished(jobID)).toMatchObject({ error: expect.stringContaining('redirects to') })
    expect(await world.operations()).toMatchObject([{ jobID, isDeletion: true, cancellable: false }])
    expect((await world.server.chat('one')).status).toBe(200)
  })

  it('takes its saved slots', async () => {
    await using world = await startGalleryWorld()
    const { server } = world
    await server.model('slotted', {}, { slot_save_path: 'slots' })
    await writeSavedState(server.modelsPath, 'slotted')
    const { jobID } = (await server.post('/api/models/delete/slotted', {})).json() as { jobID: string }
    expect(await world.finished(jobID)).toMatchObject({ message: 'completed' })
    expect(await readdir(join(server.modelsPath, 'slots'))).toEqual([])
  })
})

describe('the lists of models', () => {
  verifies(
    [
      'model-admin:models:available',
      'model-admin:models:galleries',
      'model-admin:models:list',
      'model-admin:models:install',
    ],
    'show the galleries, with search, filters, sort and pages',
    async () => {
      await using world = await startGalleryWorld({ files: { [hubPath('m-1.bin')]: WEIGHTS } })
      const { server } = world
      const entries = Array.from({ length: 20 }, (_, index) => ({
        ...mockEntry(`m-${index}`),
        license: index % 2 === 0 ? 'mit' : 'apache-2.0',
        tags: index < 3 ? ['small', 'llm'] : ['llm'],
      }))
      world.setIndex([{ ...entries[0], variants: [{ model: 'm-1' }] }, ...entries.slice(1)])
      expect((await server.call('/models/galleries')).json()).toEqual([
        { name: 'test', url: `${world.origin.origin}/index.yaml` },
      ])
      expect((await server.call('/models/available')).json()).toHaveLength(20)
      const { jobID } = (await server.post('/api/models/install/test@m-1', {})).json() as { jobID: string }
      await world.finished(jobID)
      const page = async (query: string): Promise<{ readonly ids: readonly string[]; readonly body: object }> => {
        const body = (await server.call(`/api/models?${query}`)).json() as { models: { id: string }[] }
        return { ids: body.models.map(({ id }) => id.slice('test@'.length)), body }
      }
      const first = await page('')
      expect(first.ids).toHaveLength(9)
      expect(first.body).toMatchObject({
        availableModels: 20,
        installedModels: 1,
        currentPage: 1,
        totalPages: 3,
        prevPage: 1,
        nextPage: 2,
        allTags: ['llm', 'small'],
        allBackends: ['mock'],
        repositories: [{ name: 'test' }],
      })
      expect((await page('page=3')).ids).toEqual(['m-18', 'm-19'])
      expect((await page('term=m-12')).ids).toEqual(['m-12'])
      expect((await page('tag=small')).ids).toEqual(['m-0', 'm-1', 'm-2'])
      expect((await page('tag=small&collapse_variants=true')).ids).toEqual(['m-0', 'm-2'])
      expect((await page('backend=llama')).ids).toEqual([])
      expect((await page('capability=chat&items=100')).ids).toHaveLength(20)
      expect((await page('sort=status&items=1')).ids).toEqual(['m-1'])
      expect((await page('sort=name&order=desc&items=2')).ids).toEqual(['m-9', 'm-8'])
      expect((await page('sort=license&items=1')).ids).toEqual(['m-1'])
      for (const query of ['sort=size', 'order=up&sort=name']) {
        expect((await server.call(`/api/models?${query}`)).status, query).toBe(400)
      }
    },
  )

  it('tell which variant fits, and how much memory a model takes', async () => {
    await using world = await startGalleryWorld({
      files: { [hubPath('base.bin')]: Buffer.alloc(1000), [hubPath('large.bin')]: Buffer.alloc(3000) },
    })
    const { server } = world
    const large = mockEntry('large')
    world.setIndex([
      { ...mockEntry('base'), variants: [{ model: 'large' }, { model: 'huge' }] },
      large,
      { ...mockEntry('huge'), size: '900TB' },
    ])
    expect((await server.call('/api/models/variants/test@base')).json()).toEqual({
      variants: [
        { model: 'large', backend: 'mock', memory_bytes: expect.any(Number), fits: true, is_base: false },
        { model: 'huge', backend: 'mock', memory_bytes: expect.any(Number), fits: false, is_base: false },
        { model: 'base', backend: 'mock', memory_bytes: expect.any(Number), fits: true, is_base: true },
      ],
      auto_selected: 'large',
    })
    expect((await server.call('/api/models/variants/none')).status).toBe(404)
    expect((await server.call('/api/models/estimate/large?contexts=1024')).json()).toMatchObject({
      sizeBytes: 3000,
      sizeDisplay: '3.0 kB',
      estimates: { 1024: { vramBytes: expect.any(Number) } },
    })
    const sized = { model: 'here', context_size: 2048 }
    await writeFile(join(server.modelsPath, 'here.gguf'), WEIGHTS)
    await writeFile(
      join(server.modelsPath, 'here.yaml'),
      'name: here\nbackend: llama\nparameters: {model: here.gguf}\n',
    )
    const estimate = (await server.post('/api/models/vram-estimate', sized)).json() as Record<string, number>
    expect(estimate).toMatchObject({ sizeBytes: WEIGHTS.length, vramBytes: expect.any(Number) })
    expect((await server.post('/api/models/vram-estimate', { ...sized, model: 'none' })).json()).toEqual({})
    expect((await server.post('/api/models/vram-estimate', {})).status).toBe(400)
  })

  it('have size and fit in every row of a page, and ask the origins once', async () => {
    const gguf = ggufBytes({
      values: {
        'general.architecture': ['text', 'llama'],
        'llama.block_count': ['u32', 10],
        'llama.embedding_length': ['u32', 1000],
        'llama.attention.head_count': ['u32', 10],
      },
    })
    await using world = await startGalleryWorld({ files: { [hubPath('one.gguf')]: gguf } })
    const { server, origin } = world
    world.setIndex([
      mockEntry('one', 'one.gguf', gguf),
      { ...mockEntry('huge', 'none.bin'), size: '900TB' },
      mockEntry('unknown', 'none-2.bin'),
      { ...mockEntry('foreign'), size: '1GB', overrides: { backend: 'nobody-has-it' } },
    ])
    const page = async (query = '') => (await server.call(`/api/models${query}`)).json() as { models: object[] }
    const memory = gguf.length + 10 * 2000 * 2 * 8192 + 64 * 1024 * 1024
    const sized = [
      {
        id: 'test@one',
        size: '',
        size_bytes: gguf.length,
        size_display: expect.any(String),
        memory_bytes: memory,
        memory_display: expect.stringMatching(/ MB$/),
        fits: true,
      },
      { id: 'test@huge', size: '900TB', size_bytes: 900e12, size_display: '900.0 TB', fits: false },
      { id: 'test@unknown', size: '' },
      { id: 'test@foreign', size_bytes: 1e9, fits: false },
    ]
    expect((await page()).models).toMatchObject(sized)
    const asked = origin.requests.length
    const again = await page()
    expect(again.models).toMatchObject(sized)
    expect(again.models[2]).not.toHaveProperty('fits')
    expect(again.models[2]).not.toHaveProperty('size_bytes')
    expect(origin.requests.length).toBe(asked)
    expect((await page('?fits=true')).models).toMatchObject([{ id: 'test@one' }, { id: 'test@unknown' }])
  })

  it('do not wait long for a silent origin, and show the size once it comes', async () => {
    const held: (() => void)[] = []
    const origin = await startFileOrigin({
      files: {},
      handle(request, response) {
        held.push(() => response.writeHead(200, { 'content-length': 5000 }).end())
        return request.method === 'HEAD'
      },
    })
    await using world = await startGalleryWorld({ env: { HF_ENDPOINT: origin.origin } })
    world.setIndex([{ ...mockEntry('slow'), size: '2 GB' }])
    const first = async (): Promise<unknown> =>
      ((await world.server.call('/api/models')).json() as { models: unknown[] }).models[0]
    expect(await first()).toMatchObject({ size_bytes: 2e9 })
    expect(held).toHaveLength(1)
    for (const answer of held) answer()
    await expect.poll(first).toMatchObject({ size_bytes: 5000 })
    await origin.close()
  })

  it('are not there with --disable-gallery-endpoint', async () => {
    await using world = await startGalleryWorld({ flags: ['--disable-gallery-endpoint'] })
    for (const path of ['/models/available', '/api/models', '/models/jobs/x']) {
      expect((await world.server.call(path)).status, path).toBe(404)
    }
  })

  it('answer 404 to unknown jobs and 400 to empty bodies', async () => {
    await using world = await startGalleryWorld()
    for (const path of ['/models/jobs/x', '/api/models/job/x']) {
      expect((await world.server.call(path)).status, path).toBe(404)
    }
    for (const body of [{}, { id: '' }, { files: [] }, { name: 'x' }, { id: 'a', name: '../x' }, { id: 3 }]) {
      expect((await world.server.post('/models/apply', body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await world.server.call('/models/apply', { method: 'POST' })).status).toBe(400)
    expect((await world.server.post('/models/delete/-x', {})).status).toBe(400)
  })
})

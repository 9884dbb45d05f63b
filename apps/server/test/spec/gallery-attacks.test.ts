import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type GalleryWorld, hubPath, mockEntry, sha256, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

const HOSTILE_NAMES = [
  ...['../x', '/etc/passwd', '..%2f..%2fx', 'a/../b', 'a//b', '.hidden', '-flag', 'a\\b', 'a\u0000b', 'a\u202eb'],
  ...['x'.repeat(300), 'a\nbackend: evil'],
]

/** Lists the files of the models folder beside hidden ones. */
async function listModels({ server }: GalleryWorld): Promise<readonly string[]> {
  return (await readdir(server.modelsPath)).filter((name) => !name.startsWith('.')).sort()
}

describe('hostile requests to galleries', () => {
  it('names that no model may have are refused everywhere, and nothing is written', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    const { server } = world
    world.setIndex([mockEntry('one')])
    for (const name of HOSTILE_NAMES) {
      const escaped = encodeURIComponent(name)
      const replies = [
        await server.post('/models/apply', { id: 'one', name: name }),
        await server.post('/models/import-uri', {
          uri: 'hf://owner/repo/w.gguf',
          preferences: { name: name },
        }),
        await server.post(`/models/delete/${escaped}`, {}),
        await server.post(`/api/models/delete/${escaped}`, {}),
        await server.call(`/models/edit/${escaped}`),
        await server.call(`/models/edit/${escaped}`, { method: 'POST', body: 'name: ok\nbackend: mock\n' }),
        await server.call(`/api/models/config-json/${escaped}`),
        await server.call(`/models/toggle-state/${escaped}/disable`, { method: 'PUT' }),
        await server.post(`/backends/delete/${escaped}`, {}),
        await server.post('/api/backends/install-external', { uri: 'oci://r.example/a/b', name: name }),
        await server.call('/models/import', {
          method: 'POST',
          body: JSON.stringify({ name: name, backend: 'mock' }),
        }),
      ]
      for (const [index, reply] of replies.entries()) {
        expect([400, 404, 405], `${JSON.stringify(name)} at ${index}: ${reply.text}`).toContain(reply.status)
      }
    }
    expect(await listModels(world)).toEqual([])
    expect(await world.operations()).toEqual([])
  })

  it('addresses that name nothing are mistakes of the caller', async () => {
    await using world = await startGalleryWorld()
    for (const uri of [
      ...['https://h.example/..%2f..%2fevil.gguf', 'file:///a%2fb.gguf', 'file:///etc/passwd', 'ocifile:///etc/passwd'],
      ...['hf://../..', 'hf://owner/../x.gguf', 'hf://owner/repo/../../../x.gguf', 'hf://owner/repo/x.gguf@..'],
      ...['github:owner/repo/x.gguf@../..', 'ollama://', 'javascript:alert(1)', 'x'.repeat(100_000), 'http://[::1'],
    ]) {
      const reply = await world.server.post('/models/import-uri', { uri })
      expect([reply.status, reply.text.length < 2000], uri.slice(0, 100)).toEqual([400, true])
    }
    expect(world.origin.requests).toEqual([])
    const odd = await world.server.post('/models/import-uri', { uri: 'https://127.0.0.1:1/%zz.gguf' })
    const { uuid } = odd.json() as { uuid: string }
    expect(await world.finished(uuid)).toMatchObject({ error: expect.stringContaining('not allowed') })
  })

  it('documents never reach private addresses', async () => {
    await using world = await startGalleryWorld()
    const addresses = [
      ...['http://127.0.0.1:1/x.gguf', 'http://localhost./x.gguf', 'http://2130706433/x.gguf', 'http://0x7f.1/x.gguf'],
      ...['http://169.254.169.254/latest/meta-data/x.gguf', 'http://[::ffff:127.0.0.1]/x.gguf'],
      ...['http://[64:ff9b::7f00:1]/x.gguf', 'oci://127.0.0.1:1/owner/model:1', 'oci://localhost/owner/model:1'],
      'ollama://127.0.0.1:1/owner/model:1',
    ]
    world.setIndex(
      addresses.flatMap((uri, index) => [
        { ...mockEntry(`evil-${index}`), files: [{ filename: 'x.gguf', uri }] },
        { name: `document-${index}`, url: uri },
      ]),
    )
    for (const [index, address] of addresses.entries()) {
      for (const id of [`evil-${index}`, `document-${index}`]) {
        const job = await world.apply({ id })
        expect(job, address).toMatchObject({ error: expect.stringMatching(/not allowed|HTTP alone/) })
      }
      expect((await world.server.call(`/api/models/estimate/evil-${index}`)).json()).toEqual({ estimates: {} })
    }
    expect((await world.server.call('/api/models')).status).toBe(200)
    expect(await listModels(world)).toEqual([])
  })

  it('a file of another model is not replaced by one of another content', async () => {
    const evil = Buffer.from('poisoned weights')
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    const { server } = world
    world.setIndex([mockEntry('one'), mockEntry('evil', 'one.bin', evil)])
    await world.apply({ id: 'one' })
    world.origin.files.set(hubPath('one.bin'), { content: evil })
    expect(await world.apply({ id: 'evil' })).toMatchObject({ message: 'completed' })
    expect(await readFile(join(server.modelsPath, 'one.bin'))).toEqual(Buffer.from(WEIGHTS))
    const folder = sha256(evil).slice(0, 16)
    expect(await readFile(join(server.modelsPath, folder, 'one.bin'))).toEqual(evil)
    expect(await listModels(world)).toEqual([folder, 'evil.yaml', 'one.bin', 'one.yaml'].sort())
  })

  it('a link in the models folder leads no file out of it', async () => {
    await using outside = await tempDir('svc-outside-')
    await using world = await startGalleryWorld({ files: { [hubPath('x.bin')]: WEIGHTS } })
    const { server } = world
    await symlink(outside.path, join(server.modelsPath, 'sub'))
    await writeFile(outside.join('kept'), 'kept')
    await symlink(outside.join('kept'), join(server.modelsPath, 'linked.yaml'))
    world.setIndex([
      { ...mockEntry('one'), files: [{ filename: 'sub/x.bin', uri: 'hf://owner/repo/x.bin' }] },
      mockEntry('linked'),
    ])
    expect(await world.apply({ id: 'one' })).toMatchObject({
      error: expect.stringContaining('outside the models folder'),
    })
    expect(await world.apply({ id: 'linked' })).toMatchObject({ error: expect.any(String) })
    expect(await readdir(outside.path)).toEqual(['kept'])
    expect(await readFile(outside.join('kept'), 'utf8')).toBe('kept')
    expect((await lstat(join(server.modelsPath, 'linked.yaml'))).isSymbolicLink()).toBe(true)
  })

  it('a flood of requests is bounded, and the server answers meanwhile', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    const { server } = world
    world.setIndex([mockEntry('one')])
    const large = await server.post('/models/apply', { id: 'one', overrides: { text: 'x'.repeat(3 * 1024 * 1024) } })
    expect([large.status, large.json()]).toMatchObject([
      413,
      { error: { message: expect.stringContaining('too large') } },
    ])
    expect((await server.post('/models/apply', { id: 'x'.repeat(2000) })).status).toBe(413)
    const filler = { text: 'x'.repeat(1_900_000) }
    const statuses: number[] = []
    for (let index = 0; index < 30; index += 1) {
      statuses.push(
        (await server.post('/models/apply', { id: `none-${index % 2}`, name: `n-${index}`, overrides: { filler } }))
          .status,
      )
    }
    expect(new Set(statuses).size).toBeLessThanOrEqual(2)
    for (const status of statuses) expect([200, 503]).toContain(status)
    expect((await server.call('/healthz')).status).toBe(200)
    expect((await server.call('/api/operations')).status).toBe(200)
  })

  it('sockets that are reset while a pull or a list is answered leave nothing behind', async () => {
    const big = Buffer.alloc(2 * 1024 * 1024, 5)
    await using world = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
    const { server } = world
    world.setIndex([
      mockEntry('big', 'big.bin', big),
      ...Array.from({ length: 300 }, (_, index) => mockEntry(`m-${index}`)),
    ])
    const { port } = new URL(server.url)
    const send = (method: string, path: string, body: string, resetAfter: number): Promise<void> =>
      new Promise((resolve) => {
        let received = 0
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(
            `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          )
          if (resetAfter === 0) socket.resetAndDestroy()
        })
        socket.on('data', (piece) => {
          received += piece.length
          if (received >= resetAfter) socket.resetAndDestroy()
        })
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
      })
    for (const resetAfter of [0, 1, 50, 200, 1000]) {
      await send('POST', '/api/pull', JSON.stringify({ model: 'big' }), resetAfter)
      await send('GET', '/models/available', '', resetAfter)
      await send('GET', '/api/models?items=300', '', resetAfter)
      await send('POST', '/models/import-uri', JSON.stringify({ uri: 'hf://owner/repo' }), resetAfter)
    }
    await expect.poll(async () => (await world.operations()).filter(({ error }) => error === undefined)).toEqual([])
    expect(await world.apply({ id: 'big' })).toMatchObject({ message: 'completed' })
    expect(sha256(await readFile(join(server.modelsPath, 'big.bin')))).toBe(sha256(big))
  })

  it('a change of a model file that meets its deletion brings it not back', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    const { server } = world
    world.setIndex([mockEntry('one')])
    const headers = { 'content-type': 'application/json' }
    for (let round = 0; round < 5; round += 1) {
      await world.apply({ id: 'one' })
      const changes = Array.from({ length: 10 }, (_, index) =>
        server.call('/api/models/config-json/one', { method: 'PATCH', body: `{"step": ${index}}`, headers }),
      )
      const { uuid } = (await server.post('/models/delete/one', {})).json() as { uuid: string }
      changes.push(
        ...Array.from({ length: 10 }, (_, index) =>
          server.call('/api/models/config-json/one', { method: 'PATCH', body: `{"step": ${index}}`, headers }),
        ),
      )
      for (const { status } of await Promise.all(changes)) expect([200, 404]).toContain(status)
      expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
      expect(await listModels(world)).toEqual([])
    }
    await mkdir(join(server.modelsPath, 'folder.yaml'))
    expect(await world.apply({ id: 'one', name: 'folder' })).toMatchObject({
      error: expect.stringContaining('exists already'),
    })
  })
})

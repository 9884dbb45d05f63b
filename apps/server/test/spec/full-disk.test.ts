import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { eventually, startFileOrigin, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { verifies } from './verifies.ts'

const MIB = 1024 * 1024
const mount = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' }).status === 0
const unmount = (folder: string): void => void spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' })

const probe = await tempDir('svc-mount-')
const CAN_MOUNT = mount(probe.path)
if (CAN_MOUNT) unmount(probe.path)
else console.warn('tests with a full disk do not run: this user cannot mount')
afterAll(() => probe.close())

describe.skipIf(!CAN_MOUNT)('a models folder on a disk that gets full', () => {
  it('refuses what does not fit, keeps nothing of what filled it, and serves on', async () => {
    await using dir = await tempDir('svc-full-')
    const models = join(dir.path, 'models')
    await mkdir(models)
    mount(models)
    try {
      // Tells no length, so that the disk is found to be full while it writes.
      await using endless = await startFileOrigin({
        files: {},
        handle(request, response) {
          response.writeHead(200)
          if (request.method === 'HEAD') response.end()
          else for (let piece = 0; piece < 40; piece += 1) response.write(Buffer.alloc(MIB, piece))
          response.end()
          return true
        },
      })
      const announced = Buffer.alloc(30 * MIB, 7)
      await using world = await startGalleryWorld({
        folder: dir.path,
        files: { [hubPath('small.bin')]: WEIGHTS, [hubPath('large.bin')]: announced },
        flags: ['--content-url-allow=127.0.0.1'],
      })
      const { server } = world
      const endlessEntry = { ...mockEntry('endless'), files: [{ filename: 'endless.bin', uri: `${endless.origin}/x` }] }
      world.setIndex([mockEntry('small'), mockEntry('large', 'large.bin', announced), endlessEntry])
      expect(await world.apply({ id: 'small' })).toMatchObject({ message: 'completed' })
      const sent = world.origin.sentBytes
      expect(await world.apply({ id: 'large' })).toMatchObject({
        error: expect.stringMatching(/the disk needs \d+ bytes more/),
      })
      expect(world.origin.sentBytes - sent).toBeLessThan(MIB)
      expect(await world.apply({ id: 'endless' })).toMatchObject({ error: expect.stringContaining('disk is full') })
      expect((await server.chat('small')).text).toContain('I am small')
      const left = await readdir(models, { recursive: true })
      expect(left.filter((name) => /endless\.bin|large\.bin/.test(name))).toEqual([])
      // Every other write of the folder fails with a reason as well.
      await writeFile(join(models, 'filler'), Buffer.alloc(24 * MIB)).catch(() => undefined)
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ description: 'x'.repeat(100_000) })
      const patch = await server.call('/api/models/config-json/small', { method: 'PATCH', body, headers })
      expect([patch.status, patch.json()]).toMatchObject([507, { error: expect.stringContaining('disk is full') }])
      expect((await server.chat('small')).text).toContain('I am small')
      await rm(join(models, 'filler'))
      expect((await server.call('/api/models/config-json/small', { method: 'PATCH', body, headers })).status).toBe(200)
      const { uuid } = (await server.post('/models/delete/small', {})).json() as { uuid: string }
      expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
    } finally {
      unmount(models)
    }
  })

  it('keeps what it has of a file whose hash and size are known, but for some room', async () => {
    await using dir = await tempDir('svc-full-')
    const models = join(dir.path, 'models')
    await mkdir(models)
    mount(models)
    try {
      const content = Buffer.alloc(7 * MIB, 'weights ')
      const filler = join(models, 'filler')
      const ranges: (string | undefined)[] = []
      const measurePartial = async (): Promise<number> => {
        const names = await readdir(models, { recursive: true })
        return (await stat(join(models, names.find((name) => name.endsWith('.partial')) ?? 'no partial'))).size
      }
      const send = async (response: ServerResponse): Promise<void> => {
        response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 6 * MIB))
        await eventually(async () => expect(await measurePartial()).toBeGreaterThan(5.5 * MIB))
        await writeFile(filler, Buffer.alloc(24 * MIB)).catch(() => undefined)
        response.end(content.subarray(6 * MIB))
      }
      await using origin = await startFileOrigin({
        files: { '/x': content },
        handle(request, response) {
          if (request.method !== 'GET') return false
          ranges.push(request.headers.range)
          if (ranges.length > 1) return false
          send(response).catch(() => response.destroy())
          return true
        },
      })
      await using world = await startGalleryWorld({
        folder: dir.path,
        files: {},
        flags: ['--content-url-allow=127.0.0.1'],
      })
      const sha256 = createHash('sha256').update(content).digest('hex')
      const files = [{ filename: 'whole.bin', uri: `${origin.origin}/x`, sha256 }]
      world.setIndex([{ ...mockEntry('whole'), files }])
      expect(await world.apply({ id: 'whole' })).toMatchObject({ error: expect.stringContaining('disk is full') })
      const kept = await measurePartial()
      expect(kept).toBeGreaterThan(MIB)
      await writeFile(join(models, 'other'), Buffer.alloc(3 * MIB))
      await Promise.all([filler, join(models, 'other')].map((path) => rm(path)))
      expect(await world.apply({ id: 'whole' })).toMatchObject({ message: 'completed' })
      expect(ranges).toEqual([undefined, `bytes=${kept}-`])
    } finally {
      unmount(models)
    }
  })
})

describe.skipIf(!CAN_MOUNT)('a models folder that cannot be written', () => {
  verifies(
    'model-admin:folder:unwritable',
    'is told at the start and in figures, refuses changes, and serves',
    async () => {
      await using dir = await tempDir('svc-read-only-')
      const models = join(dir.path, 'models')
      await mkdir(models)
      mount(models)
      try {
        const { overrides } = mockEntry('m')
        await writeFile(join(models, 'm.yaml'), stringify({ name: 'm', ...(overrides as object) }))
        spawnSync('mount', ['-o', 'remount,ro', models], { stdio: 'ignore' })
        const flags = ['--preload-models=[{"id": "one"}]']
        await using world = await startGalleryWorld({ folder: dir.path, flags })
        const { server } = world
        const text = 'the models folder cannot be written: models cannot be installed or changed'
        const problem = {
          folder: models,
          reason: 'the file system is read-only',
          remedy: 'mount it writable, or name another folder with --models-path',
        }
        const told = server.logLines.find((line) => line.includes(text)) ?? '{}'
        expect(JSON.parse(told)).toMatchObject(problem)
        expect((await server.call('/api/resources')).json()).toMatchObject({ models_folder_problem: problem })
        const change = (method: string, body: unknown = {}): Parameters<typeof server.call>[1] => {
          const text = JSON.stringify(body)
          const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
          return { method, headers, body: text }
        }
        const attempts: readonly (readonly [string, string, unknown?])[] = [
          ['POST', '/models/apply', { id: 'one' }],
          ['POST', '/api/models/install/one', {}],
          ['POST', '/models/delete/m', {}],
          ['POST', '/api/models/delete/m', {}],
          ['POST', '/models/import', { name: 'x', backend: 'mock' }],
          ['PATCH', '/api/models/config-json/m', { context_size: 3 }],
          ['PUT', '/models/toggle-pinned/m/pin'],
          ['POST', '/api/models/uploads', { filename: 'a.gguf', size_bytes: 9 }],
          ['POST', '/api/copy', { source: 'm', destination: 'z' }],
          ['DELETE', '/api/delete', { model: 'm' }],
          ['POST', '/api/pull', { model: 'one', stream: false }],
        ]
        for (const [method, path, body] of attempts) {
          const reply = await server.call(path, change(method, body))
          expect([path, reply.status]).toEqual([path, 507])
          expect(reply.text).toContain('read-only')
        }
        expect((await server.chat('m')).text).toContain('I am m')
      } finally {
        unmount(models)
      }
    },
  )
})

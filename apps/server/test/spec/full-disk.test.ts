import { spawnSync } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFileOrigin, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

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
      expect([patch.status, patch.json()]).toEqual([507, { error: expect.stringContaining('disk is full') }])
      expect((await server.chat('small')).text).toContain('I am small')
      await rm(join(models, 'filler'))
      expect((await server.call('/api/models/config-json/small', { method: 'PATCH', body, headers })).status).toBe(200)
      const { uuid } = (await server.post('/models/delete/small', {})).json() as { uuid: string }
      expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
    } finally {
      unmount(models)
    }
  })
})

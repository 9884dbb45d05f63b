import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type AccountsWorld, type Member, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const DRAWS = { known_usecases: ['image', 'video'] }
const NOT_FOUND = { error: { code: 404, message: 'there is no such file', type: 'invalid_request_error', param: null } }

let world: AccountsWorld
let ada: Member
let bob: Member
let path: string

async function make(): Promise<string> {
  const reply = await world.post('/v1/images/generations', { model: 'm', prompt: 'x', size: '32x32' }, ada.headers)
  const { data } = reply.json() as { data: { url: string }[] }
  return new URL(data[0]?.url ?? '').pathname
}

beforeAll(async () => {
  world = await startAccountsWorld()
  await world.model('m', {}, DRAWS)
  ada = await world.member('ada')
  bob = await world.member('bob')
  path = await make()
})
afterAll(() => world.close())

const get = (at: string, headers: Record<string, string> = ada.headers, method = 'GET') =>
  world.call(at, { method, headers })

describe('generated files', () => {
  verifies('generated:access:owner', 'are for their owner and for admins; to others they do not exist', async () => {
    expect((await get(path)).status).toBe(200)
    expect((await get(path, { cookie: `session=${ada.session}` })).status).toBe(200)
    expect((await get(path, world.admin.headers)).status).toBe(200)
    expect((await get(path, {})).status).toBe(401)
    const [other, missing] = [await get(path, bob.headers), await get(path.replace(/\/\w+\./, `/${'0'.repeat(32)}.`))]
    expect([other.status, other.json()]).toEqual([404, missing.json()])
    expect(missing.json()).toMatchObject({ error: { code: 404, message: NOT_FOUND.error.message } })
  })

  verifies('generated:read:ranges', 'come whole, in parts, or as a head, with the type of their bytes', async () => {
    const whole = await get(path)
    const length = whole.body.length
    expect(whole.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.any(String),
    })
    const head = await get(path, ada.headers, 'HEAD')
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, String(length)])
    for (const [range, start, end] of [
      ['bytes=0-3', 0, 4],
      ['bytes=4-', 4, length],
      ['bytes=-5', length - 5, length],
      ['bytes=0-999999', 0, length],
    ] as const) {
      const part = await get(path, { ...ada.headers, range })
      expect([range, part.status, part.headers['content-range']]).toEqual([
        range,
        206,
        `bytes ${start}-${end - 1}/${length}`,
      ])
      expect(part.body.equals(whole.body.subarray(start, end))).toBe(true)
    }
    const beyond = await get(path, { ...ada.headers, range: `bytes=${length}-` })
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${length}`])
    expect((await get(path, ada.headers, 'DELETE')).status).toBe(405)
  })

  verifies('generated:read:names', 'have look-alikes that are 404', async () => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    for (const odd of [
      `/generated-images/..%2fimages%2f${name}`,
      `/generated-images/%2e%2e/images/${name}`,
      `/generated-images/..%2f..%2fsvc.db`,
      `/generated-images/${name}%00`,
      `/generated-images/%00${name}`,
      `/generated-images/${name.toUpperCase()}`,
      `/generated-images/${name}.png`,
      `/generated-images/.${name}`,
      `/generated-images/${'a'.repeat(3000)}.png`,
      `/generated-images//${name}`,
      `/generated-images/%5c${name}`,
      `/generated-videos/${name}`,
      `/generated-audio/${name}`,
      `/generated-3d/${name}`,
      '/generated-images/',
    ]) {
      const reply = await get(odd)
      expect([odd, reply.status, reply.text.includes('IHDR')]).toEqual([odd, 404, false])
    }
  })

  verifies('generated:read:removed', 'that are gone from the disk are 404, and a changed one is no crash', async () => {
    const at = await make()
    const file = join(world.folder, 'data', 'generated', 'images', at.slice(at.lastIndexOf('/') + 1))
    await writeFile(file, 'short')
    await get(at).catch(() => undefined)
    await rm(file)
    expect((await get(at)).status).toBe(404)
    expect((await get(at, ada.headers, 'HEAD')).status).toBe(404)
    expect((await get(path)).status).toBe(200)
  })

  verifies('generated:folder:own', 'lie where the operator says, and drafts of a killed server go', async () => {
    await using dir = await tempDir('svc-generated-')
    const folder = join(dir.path, 'made')
    const flags = [`--generated-content-path=${folder}`, `--upload-path=${join(dir.path, 'uploads')}`]
    let draft: string
    {
      await using server = await startTestServer({ flags, folder: dir.path })
      await server.model('m', {}, DRAWS)
      await server.post('/v1/images/generations', { model: 'm', prompt: 'x' })
      await server.post('/v1/video/generations', { model: 'm', prompt: 'x' })
      const [images, videos] = [await readdir(join(folder, 'images')), await readdir(join(folder, 'videos'))]
      expect([images.length, videos.length]).toEqual([1, 1])
      const [drafts = ''] = (await readdir(folder)).filter((name) => name.startsWith('.drafts-'))
      draft = join(folder, drafts)
    }
    await mkdir(draft, { recursive: true })
    await writeFile(join(draft, 'left.png'), 'x')
    await using again = await startTestServer({ flags, folder: dir.path })
    expect([existsSync(join(draft, 'left.png')), await readdir(join(folder, 'images'))]).toEqual([
      false,
      [expect.stringMatching(/\.png$/)],
    ])
    const [name] = await readdir(join(folder, 'images'))
    expect((await again.call(`/generated-images/${name}`)).status).toBe(200)
  })
})

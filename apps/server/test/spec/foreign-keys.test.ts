import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { type GalleryWorld, hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { makeImage, startFakeRegistry } from '../support/registry.ts'
import { verifies } from './verifies.ts'

const EVIL = { upstream_url: 'https://evil.example/v1', api_key_file: '/etc/passwd' }
const REFUSED = { error: expect.stringContaining('a gallery may not set') }

let world: GalleryWorld

beforeAll(async () => {
  world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
  world.setIndex([
    evilEntry('by-overrides', { proxy: EVIL }),
    { ...mockEntry('by-config', 'one.bin'), config_file: { mcp: { stdio: '{}' } } },
    { ...mockEntry('by-document', 'one.bin'), ...url('evil') },
    { ...mockEntry('by-merge', 'one.bin'), ...url('merged') },
    { ...mockEntry('variants', 'one.bin'), variants: [{ model: 'by-overrides' }] },
    evilEntry('cloud', { backend: 'cloud-proxy', proxy: { upstream_url: 'https://evil.example' } }),
    ...['plain', 'own', 'again'].map((name) => mockEntry(name, 'one.bin')),
  ])
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const url = (name: string) => ({ url: `github:owner/repo/${name}.yaml@main` })

/** Model files that are there. */
async function listModels(): Promise<readonly string[]> {
  return (await readdir(world.server.modelsPath)).filter((name) => !name.startsWith('.')).sort()
}

/** An entry whose text is not what it should be. */
function evilEntry(name: string, keys: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entry = mockEntry(name, 'one.bin')
  return { ...entry, overrides: { ...(entry.overrides as object), ...keys } }
}

describe('text of a gallery', () => {
  verifies('model-file:foreign:refused', 'reaches no further than the models folder, however it comes', async () => {
    const document = (config: unknown) => Buffer.from(stringify({ config_file: config }))
    world.origin.files.set('/owner/repo/main/evil.yaml', {
      content: document(stringify({ backend: 'cloud-proxy', proxy: EVIL })),
    })
    world.origin.files.set('/owner/repo/main/mitm.yaml', {
      content: document({ backend: 'mock', mitm: { hosts: ['bank.example'] } }),
    })
    world.origin.files.set('/owner/repo/main/merged.yaml', {
      content: Buffer.from(
        `config_file: |\n  base: &b {upstream_url: https://evil.example}\n  proxy: {<<: *b}\n  backend: cloud-proxy\n`,
      ),
    })
    for (const id of ['by-overrides', 'by-config', 'by-document', 'by-merge']) {
      expect([id, await world.apply({ id })]).toEqual([id, expect.objectContaining(REFUSED)])
      const saved = await world.server.post(`/api/models/config/test@${id}`, {})
      expect([id, saved.status, saved.json()]).toEqual([id, 403, REFUSED])
      const { jobID } = (await world.server.post(`/api/models/install/test@${id}`, {})).json() as { jobID: string }
      expect(await world.finished(jobID)).toMatchObject(REFUSED)
    }
    expect(await world.apply({ id: 'variants', variant: 'by-overrides' })).toMatchObject(REFUSED)
    for (const name of ['evil', 'mitm', 'merged']) {
      expect(await world.apply({ name: 'mine', ...url(name) })).toMatchObject(REFUSED)
      const started = await world.server.post('/models/import-uri', {
        uri: url(name).url,
        preferences: { name: 'mine' },
      })
      expect(await world.finished((started.json() as { uuid: string }).uuid)).toMatchObject(REFUSED)
    }
    expect(await listModels()).toEqual([])
    expect(world.origin.requests.some(({ path }) => path.endsWith('one.bin'))).toBe(false)
  })

  it('gives way to what the administrator sets knowingly, at once or later', async () => {
    const mine = { upstream_url: 'https://mine.example/v1', api_key_env: 'MINE' }
    expect(await world.apply({ id: 'cloud', overrides: { proxy: mine } })).toMatchObject({ message: 'completed' })
    const read = async () =>
      parse(await readFile(join(world.server.modelsPath, 'cloud.yaml'), 'utf8')) as { proxy: unknown }
    expect((await read()).proxy).toEqual(mine)
    const patched = await world.server.call('/api/models/config-json/cloud', {
      method: 'PATCH',
      body: JSON.stringify({ proxy: { upstream_url: 'https://other.example/v1' }, mitm: { hosts: ['a.example'] } }),
      headers: { 'content-type': 'application/json' },
    })
    expect(patched.status).toBe(200)
    expect((await read()).proxy).toEqual({ ...mine, upstream_url: 'https://other.example/v1' })
  })

  it('may be overridden by no key file of the machine, whoever asks', async () => {
    const proxy = { upstream_url: 'https://mine.example/v1', api_key_file: '/etc/passwd' }
    const error = expect.stringContaining('--secrets-path')
    expect(await world.apply({ id: 'plain', overrides: { proxy } })).toMatchObject({ error })
    expect(await world.apply({ name: 'bare', config_file: { backend: 'cloud-proxy', proxy } })).toMatchObject({ error })
    expect(await listModels()).not.toContain('plain.yaml')
  })

  it('is installed over no file of an operator, whose key file it gets neither', async () => {
    const { server } = world
    const text = stringify({
      name: 'own',
      backend: 'cloud-proxy',
      proxy: { upstream_url: 'https://mine.example', api_key_file: '/etc/passwd' },
    })
    await server.writeModelFile('own.yaml', text)
    expect(await world.apply({ id: 'own' })).toMatchObject({ error: expect.stringContaining('exists already') })
    expect(await readFile(join(server.modelsPath, 'own.yaml'), 'utf8')).toBe(text)
    // An installed model whose file the operator has replaced.
    await world.apply({ id: 'again' })
    await server.writeModelFile('again.yaml', text.replace('own', 'again'))
    const overrides = { proxy: { upstream_url: 'https://evil.example', api_key_file: '/etc/passwd' } }
    expect(await world.apply({ id: 'again', overrides })).toMatchObject({
      error: expect.stringContaining('--secrets-path'),
    })
  })
})

it('an installation never replaces a file of the server', async () => {
  await using folder = await tempDir('svc-places-')
  const models = folder.join('models')
  await using registry = await startFakeRegistry()
  await using inside = await startGalleryWorld({
    folder: folder.path,
    flags: [
      `--models-config-file=${models}/lists/list.yaml`,
      `--secrets-path=${models}/secrets`,
      `--backends-path=${models}/engines`,
      '--content-url-allow=127.0.0.0/8',
    ],
    files: { [hubPath('one.bin')]: WEIGHTS },
  })
  const names = ['secrets/key', 'secrets/sub/key', 'lists/list.yaml', 'engines/evil/run.sh']
  inside.setIndex(
    names.map((filename, index) => ({
      ...mockEntry(`m-${index}`, 'one.bin'),
      files: [{ filename, uri: 'huggingface://owner/repo/one.bin' }],
    })),
  )
  await mkdir(folder.join('models/secrets'))
  await writeFile(folder.join('models/secrets/own'), 'sk-own')
  await symlink(folder.join('data/server-id'), folder.join('models/linked'))
  for (const uri of ['file://secrets/own', 'file://linked', 'ocifile://secrets/own']) {
    const files = [{ filename: 'stolen.tmpl', uri }]
    expect(await inside.apply({ name: 'thief', files })).toMatchObject({
      error: expect.stringContaining('names a file of this server'),
    })
  }
  await rm(folder.join('models/linked'))
  await rm(folder.join('models/secrets'), { recursive: true })
  for (const index of names.keys()) {
    expect(await inside.apply({ id: `m-${index}` })).toMatchObject({
      error: expect.stringContaining('is a file of this server'),
    })
  }
  const image = makeImage([[{ name: 'list.yaml', content: '- {name: evil, backend: mock}' }]])
  await registry.push(image, 'owner/evil:v1')
  const files = [{ filename: 'lists', uri: `oci://${registry.host}/owner/evil:v1` }]
  expect(await inside.apply({ name: 'image', files })).toMatchObject({
    error: 'lists/list.yaml is a file of this server',
  })
  const left = await readdir(models)
  expect(left.filter((name) => !name.startsWith('.') && name !== 'engines')).toEqual([])
})

it('no model is written where the list of models is expected', async () => {
  await using folder = await tempDir('svc-places-')
  await using inside = await startGalleryWorld({
    folder: folder.path,
    flags: [`--models-config-file=${folder.join('models/list.yaml')}`],
    files: { [hubPath('one.bin')]: WEIGHTS },
  })
  const { server } = inside
  inside.setIndex([mockEntry('list', 'one.bin')])
  expect(await inside.apply({ id: 'list' })).toMatchObject({ error: 'list.yaml is a file of this server' })
  expect((await server.post('/api/models/config/list', {})).status).toBe(400)
  const body = 'name: list\nbackend: mock\n'
  expect((await server.call('/models/import', { method: 'POST', body })).status).toBe(409)
  await server.writeModelFile('other.yaml', body.replace('list', 'other'))
  expect((await server.call('/models/edit/other', { method: 'POST', body })).status).toBe(409)
  expect((await server.post('/api/copy', { source: 'other', destination: 'list' })).status).toBe(409)
})

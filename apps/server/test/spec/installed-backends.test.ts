import { mkdir, readlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Installs a backend folder as an installer leaves it, with the mock as its program. */
async function install(server: TestServer, folderName: string, metadata?: Readonly<Record<string, string>>) {
  const folder = join(server.folder, 'backends', folderName)
  await mkdir(folder, { recursive: true })
  if (metadata?.meta_backend_for === undefined) writeMockLauncher({ folder })
  if (metadata !== undefined) await writeFile(join(folder, 'metadata.json'), JSON.stringify(metadata))
}

async function system(server: TestServer) {
  return (await server.call('/system')).json() as {
    backends: string[]
    loaded_models: { id: string; backend: string }[]
  }
}

describe('installed backends', () => {
  it('run under their own name, an alias and a name that stands for them', async () => {
    await using server = await startTestServer({ env: { SVC_FORCE_META_BACKEND_CAPABILITY: 'nvidia' } })
    await install(server, 'cpu-engine', { name: 'cpu-engine', alias: 'engine' })
    await install(server, 'cuda12-engine', { name: 'cuda12-engine', alias: 'engine' })
    await install(server, 'plain')
    await install(server, 'meta', { name: 'meta', meta_backend_for: 'plain' })
    for (const backend of ['cpu-engine', 'engine', 'plain', 'META']) {
      await server.model(backend.toLowerCase(), {}, { backend })
      expect((await server.chat(backend.toLowerCase())).status, backend).toBe(200)
    }
    const { backends } = await system(server)
    expect(backends).toEqual(expect.arrayContaining(['cpu-engine', 'cuda12-engine', 'engine', 'plain', 'meta']))
    const [pid] = server.records('engine').map((record) => record.pid)
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    if (cwd !== undefined) expect(basename(cwd)).toBe('cuda12-engine')
  })

  it('are tried one after the other for a model that names none', async () => {
    await using server = await startTestServer()
    await install(server, 'a-engine')
    await install(server, 'b-engine')
    await install(server, 'local-store')
    const refuse = { rules: [{ rpc: 'LoadModel', call: 1, do: { refuse: 'not my format' } }] }
    const folder = join(server.folder, 'backends', 'a-engine')
    writeMockLauncher({ folder, script: refuse })
    await server.writeModelFile(
      'm.yaml',
      JSON.stringify({
        name: 'm',
        known_usecases: ['chat'],
        parameters: { model: 'm.bin' },
        options: mockOptions({ record: join(server.folder, 'records', 'm') }),
      }),
    )
    expect((await server.chat('m')).status).toBe(200)
    expect((await system(server)).loaded_models).toMatchObject([{ id: 'm', backend: 'b-engine' }])
  })
})

it('a backend of external_backends.json is used from the moment it is written there', async () => {
  await using server = await startTestServer()
  const { path } = writeMockLauncher({ folder: server.folder, name: 'late.sh' })
  await server.model('m', {}, { backend: 'late' })
  await writeFile(join(server.configDir, 'external_backends.json'), JSON.stringify({ late: path }))
  await eventually(async () => expect((await system(server)).backends).toContain('late'))
  expect((await server.chat('m')).status).toBe(200)
})

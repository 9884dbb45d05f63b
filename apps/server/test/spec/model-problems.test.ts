import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { type SystemReply, systemReply } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const read = async (server: TestServer, include = 'problems'): Promise<SystemReply> => {
  const reply = await server.call(`/system?include=${include}`)
  expect(reply.status, reply.text).toBe(200)
  return systemReply.parse(reply.json())
}
const FAILURE = { status: 'INTERNAL', message: 'no room on the card' } as const

describe('GET /system with more parts', () => {
  verifies('system:include:one-call', 'has what pages ask for, in one call', async () => {
    await using server = await startTestServer()
    await server.model('m')
    expect((await server.chat('m')).status).toBe(200)
    const whole = await read(server, 'resources,problems,states')
    expect(whole).toMatchObject({
      load_failures: [],
      model_problems: [],
      resources: { ram: { total: expect.any(Number) } },
    })
    expect(whole.loaded_models).toMatchObject([{ id: 'm', state: expect.any(Number) }])
    expect(Object.keys(await read(server, ''))).toEqual(['backends', 'loaded_models'])
    for (const include of ['everything', 'resources,', 'states;problems', 'Resources'])
      expect((await server.call(`/system?include=${include}`)).status, include).toBe(400)
  })

  verifies(
    'system:load-failures:without-tracing',
    'reports a failed load, and forgets it when the model loads or changes',
    async () => {
      await using server = await startTestServer({ flags: ['--model-load-failure-cooldown', '0'] })
      await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { failure: FAILURE } }] })
      await server.model('gone', { rules: [{ rpc: 'LoadModel', do: { failure: FAILURE } }] })
      await server.writeModelFile('nowhere.yaml', 'name: nowhere\nbackend: not-here\nparameters: { model: x }\n')
      for (const model of ['broken', 'gone', 'nowhere'])
        expect((await server.chat(model)).status).toBeGreaterThanOrEqual(500)
      const failures = (await read(server)).load_failures ?? []
      expect(failures.map(({ model }) => model)).toEqual(['nowhere', 'gone', 'broken'])
      expect(failures.map(({ error }) => error).join()).toMatch(/not-here.*no room on the card.*no room on the card/)
      expect(Date.now() - Date.parse(failures[0]?.at ?? '')).toBeLessThan(600_000)
      await server.model('broken')
      expect((await server.chat('broken')).status).toBe(200)
      await server.writeModelFile('nowhere.yaml', 'name: nowhere\nbackend: mock\nparameters: { model: x }\n')
      await server.post('/models/reload', {})
      await eventually(async () =>
        expect((await read(server)).load_failures?.map(({ model }) => model)).toEqual(['gone']),
      )
    },
  )
})

describe('a model file with a mistake', () => {
  verifies(
    'system:problems:named',
    'is reported with its line, and opened and mended by the name of its file',
    async () => {
      await using server = await startTestServer()
      const files = {
        'syntax.yaml': 'name: syntax\nbackend: [mock\n',
        'type.yml': 'name: typed\nbackend: mock\ncontext_size: many\n',
        'empty.yaml': '',
        'list.yaml': '- 1\n- 2\n',
        'tabs.yaml': 'name: tabs\n\tbackend: mock\n',
        'escape.yaml': 'name: ../../etc\nbackend: mock\n',
      }
      for (const [name, text] of Object.entries(files)) await server.writeModelFile(name, text)
      await server.model('fine')
      const problems = (await read(server)).model_problems ?? []
      for (const file of Object.keys(files)) {
        const found = problems.find((problem) => problem.file === file)
        expect(found, file).toMatchObject({ reason: expect.stringMatching(/\w/), model: file.replace(/\.ya?ml$/, '') })
      }
      expect(problems.find(({ file }) => file === 'type.yml')).toMatchObject({ line: 3, key: 'context_size' })
      expect(problems.map(({ file }) => file)).not.toContain('fine.yaml')

      const opened = await server.call('/models/edit/type')
      expect([opened.status, opened.json()]).toMatchObject([
        200,
        { config: files['type.yml'], filename: 'type.yml', name: 'type' },
      ])
      expect((await server.call('/api/models/config-json/type')).status).toBe(422)
      const post = (text: string) => server.call('/models/edit/type', { method: 'POST', body: text })
      expect((await post('name: typed\nbackend: mock\ncontext_size: none\n')).status).toBe(400)
      expect((await post('name: fine\nbackend: mock\n')).status).toBe(409)
      expect((await post('name: typed\nbackend: mock\ncontext_size: 512\n')).status).toBe(200)
      expect(await readFile(join(server.modelsPath, 'type.yml'), 'utf8')).toContain('512')
      expect((await read(server)).model_problems?.map(({ file }) => file)).not.toContain('type.yml')
      expect((await server.call('/models/edit/typed')).status).toBe(200)
      expect((await server.call('/models/edit/type')).status).toBe(404)
    },
  )

  it('is opened by no other way than its own name', async () => {
    await using server = await startTestServer()
    const outside = join(server.folder, 'outside.yaml')
    await writeFile(outside, 'secret: [')
    await symlink(outside, join(server.modelsPath, 'link.yaml'))
    await server.writeModelFile('large.yaml', `name: [${'x'.repeat(3 * 1024 * 1024)}`)
    await server.writeModelFile('note.txt', 'secret')
    await read(server)
    for (const name of ['link', '..%2foutside', 'note', 'note.txt', 'large', 'missing']) {
      const reply = await server.call(`/models/edit/${name}`)
      expect([name, reply.status >= 400]).toEqual([name, true])
      expect(reply.text).not.toContain('secret')
    }
  })
})

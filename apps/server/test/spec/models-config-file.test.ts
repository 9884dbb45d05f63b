import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mockOptions } from '@svc/backend-mock/script'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer } from '../support/server.ts'

const entry = (name: string, text: string): Record<string, unknown> => ({
  name,
  backend: 'mock',
  known_usecases: ['chat'],
  parameters: { model: `${name}.bin` },
  template: { use_tokenizer_template: true },
  options: mockOptions({ rules: [{ rpc: 'Predict*', do: { text } }] }),
})

describe('the file of --models-config-file', () => {
  it('gives a list of models, and is read again when it changes', async () => {
    await using folder = await tempDir('svc-list-')
    const path = join(folder.path, 'list.yaml')
    await writeFile(
      path,
      stringify([entry('one', 'first'), entry('two', 'second'), { context_size: 'many', name: 'bad' }]),
    )
    await using server = await startTestServer({ flags: [`--models-config-file=${path}`] })
    const ids = async (): Promise<readonly string[]> =>
      ((await server.call('/v1/models')).json() as { data: { id: string }[] }).data.map(({ id }) => id)
    const answer = async (name: string): Promise<unknown> => (await server.chat(name)).json()
    expect(await ids()).toEqual(['one', 'two'])
    expect(await answer('two')).toMatchObject({ choices: [{ message: { content: 'second' } }] })
    const reload = async (): Promise<unknown> => (await server.post('/models/reload', {})).json()
    expect(await reload()).toMatchObject({ details: [expect.stringContaining('context_size')] })
    await writeFile(path, stringify([entry('two', 'changed')]))
    expect(await answer('two')).toMatchObject({ choices: [{ message: { content: 'changed' } }] })
    expect(await ids()).toEqual(['two'])
    await writeFile(path, '- name: [')
    expect(await reload()).toMatchObject({ details: [expect.stringContaining('the last good version stays in use')] })
    expect(await ids()).toEqual(['two'])
    await rm(path)
    expect(await reload()).toMatchObject({ details: [expect.stringContaining('is missing')] })
    expect((await server.chat('two')).status).toBe(200)
  })

  it('loses to a model file of the same name, and is changed by nobody but its owner', async () => {
    await using folder = await tempDir('svc-list-')
    const path = join(folder.path, 'list.yaml')
    const text = stringify([entry('one', 'of the list'), entry('two', 'of the list')])
    await writeFile(path, text)
    await using server = await startTestServer({ flags: [`--models-config-file=${path}`] })
    await server.model('one', { rules: [{ rpc: 'Predict*', do: { text: 'of the folder' } }] })
    await server.post('/models/reload', {})
    expect((await server.chat('one')).text).toContain('of the folder')
    const headers = { 'content-type': 'application/json' }
    const patch = await server.call('/api/models/config-json/two', {
      method: 'PATCH',
      body: '{"pinned": true}',
      headers,
    })
    expect([patch.status, patch.json()]).toMatchObject([
      409,
      { error: expect.stringContaining('--models-config-file') },
    ])
    expect((await server.call('/models/edit/two', { method: 'POST', body: 'name: two\nbackend: mock\n' })).status).toBe(
      409,
    )
    const { uuid } = (await server.post('/models/delete/two', {})).json() as { uuid: string }
    await expect
      .poll(async () => (await server.call(`/models/jobs/${uuid}`)).json())
      .toMatchObject({ error: expect.stringContaining('--models-config-file') })
    expect((await server.post('/api/copy', { source: 'two', destination: 'three' })).status).toBe(200)
    expect((await server.chat('three')).text).toContain('of the list')
    expect(await readFile(path, 'utf8')).toBe(text)
  })
})

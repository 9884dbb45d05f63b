// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { importUri } from './import-api.ts'

afterEach(() => vi.unstubAllGlobals())

function answer(body: unknown, status: number): void {
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
}

test('an import that begins has nothing to ask', async () => {
  answer({ uuid: '1', status: '/models/jobs/1' }, 200)
  expect(await importUri({ uri: 'owner/name' })).toEqual({ kind: 'started' })
})

test('an ambiguous import names the backends to choose from', async () => {
  answer({ error: 'ambiguous import', modality: 'text', candidates: ['vllm', 'transformers'] }, 400)
  expect(await importUri({ uri: 'owner/name' })).toEqual({
    kind: 'ambiguous',
    modality: 'text',
    candidates: ['vllm', 'transformers'],
  })
})

test('any other refusal is an error with the reason of the server', async () => {
  answer({ error: 'uri is required' }, 400)
  await expect(importUri({ uri: '' })).rejects.toThrow('uri is required')
})

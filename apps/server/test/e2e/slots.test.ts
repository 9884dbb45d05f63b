import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

const KEYS = 'name: slotted\nbackend: llama\ncontext_size: 512\nslot_save_path: slots\noptions: ["parallel:1"]\n'
const PROMPT = 'Tell me about gardens, rivers and old books. '.repeat(12)

interface Completion {
  readonly choices: readonly { readonly text: string }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  }
}

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'false', SVC_THREADS: '1' } })
  const [demo] = demoModels
  if (demo === undefined) throw new Error('there is no demo model')
  await copyFile(demo.file, join(server.folder, 'models', 'demo.gguf'))
  await writeModel('')
})
afterAll(() => server[Symbol.asyncDispose]())

const writeModel = (more: string): Promise<void> =>
  writeFile(join(server.folder, 'models', 'slotted.yaml'), `${KEYS}${more}parameters:\n  model: demo.gguf\n`)

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'extra-usage': 'true' },
    body: JSON.stringify({ model: 'slotted', ...body }),
  })
  return { status: reply.status, body: await reply.json() }
}

async function complete(prompt: string): Promise<{ text: string; read: number; cached: number }> {
  const { body } = await post('/v1/completions', { prompt, max_tokens: 12, temperature: 0, ignore_eos: true })
  const { choices, usage } = body as Completion
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0
  return { text: choices[0]?.text ?? '', read: usage.prompt_tokens - cached, cached }
}

// verifies slots:restored:continues
it('a restored slot continues its prompt without evaluating it again, also after the model was unloaded', async () => {
  const first = await complete(PROMPT)
  expect(first.read).toBeGreaterThan(50)
  const saved = await post('/v1/slots/save', { slot: 0 })
  const { id, n_saved, bytes } = saved.body as { id: string; n_saved: number; bytes: number }
  expect([saved.status, n_saved > first.read, bytes > 1000]).toEqual([200, true, true])

  await complete('Something else')
  expect((await complete(PROMPT)).cached).toBeLessThan(5)
  await complete('Something else')
  expect(await post('/v1/slots/restore', { slot: 0, id })).toMatchObject({ status: 200, body: { n_restored: n_saved } })
  expect(await complete(PROMPT)).toEqual({ text: first.text, read: 1, cached: first.read + first.cached - 1 })

  expect((await post('/backend/shutdown', {})).status).toBe(200)
  expect((await post('/v1/slots/restore', { slot: 0, id })).status).toBe(200)
  expect(await complete(PROMPT)).toMatchObject({ text: first.text, read: 1 })
  expect(await post('/v1/slots/save', { slot: 1 })).toMatchObject({ status: 400 })
  expect(await post('/v1/slots/restore', { slot: 1, id })).toMatchObject({ status: 400 })
})

// verifies slots:error:disabled, errors:status:precondition
it('a state of other settings is 412, and so is a model whose options turn saving off', async () => {
  await complete(PROMPT)
  const { id } = (await post('/v1/slots/save', { slot: 0 })).body as { id: string }
  await writeModel('cache_type_k: q8_0\n')
  expect(await post('/v1/slots/restore', { slot: 0, id })).toMatchObject({
    status: 412,
    body: { error: { message: expect.stringContaining('the backend cannot read it') } },
  })
  const text = `${KEYS.replace('"parallel:1"', '"parallel:1", "slot_save_path:"')}parameters:\n  model: demo.gguf\n`
  await writeFile(join(server.folder, 'models', 'slotted.yaml'), text)
  for (const [path, body] of [
    ['/v1/slots/save', { slot: 0 }],
    ['/v1/slots/restore', { slot: 0, id }],
  ] as const) {
    const wanted = { status: 412, body: { error: { message: 'slot save/restore is disabled' } } }
    expect(await post(path, body)).toMatchObject(wanted)
  }
})

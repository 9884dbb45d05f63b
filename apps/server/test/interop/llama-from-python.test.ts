import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { findPython, titled } from './python.ts'
import { type PythonHost, startPythonHost, textOf } from './python-client.ts'
import { isRunning } from './world.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const python = findPython()
const path = python.missing === undefined ? python.path : ''
const manifest = createRequire(import.meta.url).resolve('@svc/backend-llama/package.json')
/** The build that is published, as it runs there. */
const command = [process.execPath, join(dirname(manifest), 'dist/main.js')]
const weights = demoModels.find(({ name }) => name === 'demo')?.file ?? ''
const TOKEN = 'a token of this test'

const load = {
  Model: 'demo',
  ModelFile: weights,
  ModelPath: dirname(weights),
  ContextSize: 512,
  Threads: 1,
  MMap: true,
  Options: ['parallel:2'],
}
const chat = {
  UseTokenizerTemplate: true,
  Messages: [{ role: 'user', content: 'Hello!' }],
  Tokens: 24,
  ModelIdentity: 'demo',
}

let host: PythonHost
const call = (...args: Parameters<PythonHost['call']>): ReturnType<PythonHost['call']> => host.call(...args)

async function reply(
  rpc: string,
  request: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { replies, code, details } = await call({ rpc, request })
  expect(code, details).toBeUndefined()
  return replies[0] ?? {}
}

describe.skipIf(python.missing)(titled('the llama backend under a host in Python', python), () => {
  beforeAll(async () => {
    expect(existsSync(command[1] ?? ''), 'run npm test, which builds first').toBe(true)
    host = await startPythonHost(path, command, { token: TOKEN })
  })
  afterAll(() => host?.[Symbol.asyncDispose]())

  it('is healthy, for its token alone', async () => {
    expect(await call({ rpc: 'Health' })).toEqual({ replies: [{ message: 'T0s=' }] })
    for (const token of [null, `${TOKEN} `]) {
      for (const rpc of ['Health', 'PredictStream']) {
        expect(await call({ rpc, token })).toMatchObject({ replies: [], code: 'UNAUTHENTICATED' })
      }
    }
  })

  it('says what it cannot do before a model is loaded', async () => {
    expect(await call({ rpc: 'Predict', request: chat })).toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: expect.stringContaining('model not loaded'),
    })
    const refused = await reply('LoadModel', { ...load, ModelFile: join(dirname(weights), 'missing.gguf') })
    expect(refused).toEqual({ message: expect.stringMatching(/./) })
    expect(await isRunning(host.backendPid)).toBe(true)
  })

  it('loads the demo model and says so', async () => {
    expect(await reply('LoadModel', load)).toMatchObject({ success: true })
    const status = await reply('Status', {})
    expect(status.state).toBe('READY')
    expect(Number(Reflect.get(Object(status.memory), 'total'))).toBeGreaterThan(0)
  })

  it('answers whole and in a stream, the same at temperature 0', async () => {
    const whole = await reply('Predict', chat)
    const text = textOf([whole])
    expect(text).toMatch(/\p{L}/u)
    expect(whole.tokens).toBeGreaterThan(1)
    expect(whole.prompt_tokens).toBeGreaterThan(1)
    const stream = await call({ rpc: 'PredictStream', request: chat })
    expect(stream.code).toBeUndefined()
    expect(textOf(stream.replies)).toBe(text)
    expect(stream.replies.length).toBeGreaterThan(1)
    const counts = stream.replies.map(({ tokens }) => Number(tokens ?? 0))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(stream.replies.at(-1)).toMatchObject({ tokens: whole.tokens, prompt_tokens: whole.prompt_tokens })
  })

  it('ends a stream that is cancelled and goes on answering', async () => {
    const endless = { ...chat, IgnoreEOS: true, Tokens: 400 }
    const cancelled = await call({ rpc: 'PredictStream', request: endless, take: 2 })
    expect(cancelled.code).toBe('CANCELLED')
    expect(textOf([await reply('Predict', chat)])).toMatch(/\p{L}/u)
  })

  it('takes a prompt as it is, stops before a stop text, and counts', async () => {
    const tokens = await reply('TokenizeString', { Prompt: 'Hello there' })
    expect(tokens.length).toBe(Object(tokens.tokens).length)
    const prompt = { Prompt: 'Hello there', Tokens: 3 }
    expect(await reply('Predict', prompt)).toMatchObject({ tokens: 3 })
    const text = textOf([await reply('Predict', chat)])
    const stop = text.split(' ')[1] ?? ''
    const stopped = textOf([await reply('Predict', { ...chat, StopPrompts: [stop] })])
    expect(stopped).toBe(text.slice(0, text.indexOf(stop)))
  })

  it('is for its own model alone', async () => {
    for (const rpc of ['Predict', 'PredictStream', 'TokenizeString', 'Embedding']) {
      expect(await call({ rpc, request: { ModelIdentity: 'another' } }), rpc).toMatchObject({
        code: 'NOT_FOUND',
        details: expect.stringContaining('model identity mismatch'),
      })
    }
  })

  it('does not know what it has not', async () => {
    for (const rpc of ['TTS', 'GenerateImage', 'VAD', 'StoresGet'])
      expect((await call({ rpc })).code).toBe('UNIMPLEMENTED')
  })

  it('describes itself through our own service', async () => {
    const answer = await call({ service: 'svc.backend.v1.Extensions', rpc: 'Capabilities' })
    expect(answer.replies[0]).toMatchObject({
      backend: 'llama',
      rpcs: expect.arrayContaining(['Health', 'LoadModel', 'Predict', 'PredictStream', 'TokenizeString']),
    })
  })

  it('lets its model go by Free and takes it again', async () => {
    expect(await reply('Free', {})).toMatchObject({ success: true })
    expect((await call({ rpc: 'Predict', request: chat })).code).toBe('FAILED_PRECONDITION')
    expect(await reply('LoadModel', load)).toMatchObject({ success: true })
    expect(textOf([await reply('Predict', chat)])).toMatch(/\p{L}/u)
  })

  it('ends by TERM with code 0', async () => {
    expect(await host.stop()).toBe(0)
  })
})

describe.skipIf(python.missing)(titled('the parent watch of the llama backend', python), () => {
  it('ends the backend when its host is killed', async () => {
    await using killed = await startPythonHost(path, command)
    expect(await isRunning(killed.backendPid)).toBe(true)
    killed.kill()
    await eventually(async () => expect(await isRunning(killed.backendPid)).toBe(false))
    expect(killed.output()).not.toMatch(/\bat .*\.js:\d+/)
  })
})

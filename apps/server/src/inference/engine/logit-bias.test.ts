import { setImmediate } from 'node:timers/promises'
import { parseJson, parseJsonCooperatively } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { chatFormat } from '../../api/formats/openai/chat/format.ts'
import { completionFormat } from '../../api/formats/openai/completions/format.ts'
import type { GenerationRequest } from '../core/request.ts'
import { takeLogitBias } from './logit-bias.ts'

const { signal } = new AbortController()
const unused = () => expect.unreachable()
const media = { read: unused, toFile: unused, writeFile: unused, rename: unused }
const NO_MEDIA = { media, owner: 'o' }
const map = (count: number, value = -1.5): string =>
  `{${Array.from({ length: count }, (_, id) => `"${id}":${value}`).join(',')}}`
const parse = (text: string) => parseJson(Buffer.from(text))
const take = (text: string) => takeLogitBias(parse(text), signal)

describe('a map of biases', () => {
  it('of 240000 tokens is read while other work runs, and reaches the model as it was written', async () => {
    const biases = map(240_000)
    const body = `{"model":"m","messages":[{"role":"user","content":"hi"}],"prompt":"hi","logit_bias":${biases}}`
    const document = await parseJsonCooperatively(Buffer.from(body), {}, { signal })
    for (const format of [chatFormat, completionFormat]) {
      let isDone = false
      let turns = 0
      const reading = format.read(document, { ...NO_MEDIA, model: 'm', files: [], signal }).finally(() => {
        isDone = true
      })
      for (; !isDone; turns += 1) await setImmediate()
      const { request } = (await reading) as { request: GenerationRequest }
      expect(request.generation.logitBias).toBe(biases)
      expect(turns).toBeGreaterThan(5)
    }
  })

  it.each([
    ['none', '{"a":1}'],
    ['a small one', `{"logit_bias":${map(1024)}}`],
    ['another type', '{"logit_bias":[1]}'],
  ])('stays in the body: %s', async (_, text) => {
    const document = parse(text)
    expect(await takeLogitBias(document, signal)).toEqual({ rest: document, logitBias: undefined })
  })

  it('is taken out where it is large, with its duplicates', async () => {
    const large = map(1025)
    const { rest, logitBias } = await take(`{"logit_bias":{"1":1},"a": 1.50,"logit_bias":${large}}`)
    expect(Buffer.from(rest.bytes).toString()).toBe('{"logit_bias":null,"a": 1.50,"logit_bias":null}')
    expect(logitBias).toBe(large)
  })

  it('that a later value of another kind replaces is only dropped', async () => {
    const { rest, logitBias } = await take(`{"logit_bias":${map(1025)},"logit_bias":7}`)
    expect([Buffer.from(rest.bytes).toString(), logitBias]).toEqual(['{"logit_bias":null,"logit_bias":7}', undefined])
  })

  it.each([
    ['a bias that is too large', '"7":101'],
    ['a bias that is too small', '"7":-100.5'],
    ['a bias that is not a number', '"7":"1"'],
    ['a bias beyond all numbers', '"7":1e999'],
    ['a name that is not an id', '"me":1'],
    ['an id that is too long', '"12345678901":1'],
    ['an empty name', '"":1'],
  ])('is refused with its name: %s', async (_, entry) => {
    const refused = take(`{"logit_bias":${map(2000).slice(0, -1)},${entry}}}`)
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request', details: { param: 'logit_bias' } })
  })

  it('ends with its request', async () => {
    const left = new AbortController()
    const document = await parseJsonCooperatively(Buffer.from(`{"logit_bias":${map(240_000)}}`), {}, { signal })
    const taking = takeLogitBias(document, left.signal)
    left.abort(new Error('left'))
    await expect(taking).rejects.toThrow('left')
  })
})

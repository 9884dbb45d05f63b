import { describe, expect, it } from 'vitest'
import { everyStep } from './__fixtures__/every-step.ts'
import { parseJson, parseJsonCooperatively } from './parse.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('parseJsonCooperatively', () => {
  it('gives the document that parseJson gives', async () => {
    const bytes = encode(
      JSON.stringify({ list: Array.from({ length: 20_000 }, (_, index) => ({ [`k${index}`]: 'é' })) }),
    )
    const { options, yields } = everyStep()
    const document = await parseJsonCooperatively(bytes, {}, options)
    expect(document.nodeCount).toBe(parseJson(bytes).nodeCount)
    expect(document.root.toValue()).toStrictEqual(parseJson(bytes).root.toValue())
    expect(yields()).toBeGreaterThan(5)
  })

  it('yields inside one long string, number or run of white space', async () => {
    for (const text of [`"${'a'.repeat(98_302)}"`, '1'.repeat(98_304), `7${' '.repeat(98_303)}`]) {
      const { options, yields } = everyStep()
      const { root } = await parseJsonCooperatively(encode(text), undefined, options)
      expect(root.rawText()).toBe(text.trim())
      expect(yields()).toBe(2)
    }
  })

  it('does not wait for a small document', async () => {
    const { options, yields } = everyStep()
    await parseJsonCooperatively(encode('{"model":"demo"}'), undefined, options)
    expect(yields()).toBe(0)
  })

  it('rejects with the error that parseJson throws', async () => {
    const bytes = encode(`[${'1,'.repeat(50_000)}]`)
    await expect(parseJsonCooperatively(bytes)).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'json_syntax',
      details: { offset: 100_001 },
    })
    await expect(parseJsonCooperatively(encode('[[1]]'), { maxDepth: 1 })).rejects.toMatchObject({ code: 'json_limit' })
  })

  it('throws the reason of the signal', async () => {
    const reason = new Error('client gone')
    const bytes = encode(`"${'a'.repeat(500_000)}"`)
    await expect(parseJsonCooperatively(bytes, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const { options, yields } = everyStep((count) => {
      if (count === 3) controller.abort(reason)
    })
    await expect(parseJsonCooperatively(bytes, {}, { ...options, signal: controller.signal })).rejects.toBe(reason)
    expect(yields()).toBe(3)
  })
})

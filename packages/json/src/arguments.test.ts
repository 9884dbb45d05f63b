import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { applySplices, encodeJsonString, parseJson, parseJsonCooperatively, spliceCooperatively } from './index.ts'

const WRONG: readonly unknown[] = [undefined, null, {}, [], '{"a":1}', 7, new ArrayBuffer(4), { length: Number.NaN }]
const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(/ must be a /) })
const bytes = new TextEncoder().encode('{"a":"b"}')

/** Calls a function without the checks of its types. */
const call = (run: unknown, ...args: unknown[]): unknown => (run as (...args: unknown[]) => unknown)(...args)

describe('arguments of another type', () => {
  it.each(WRONG)('%o is refused in a sentence, and later calls are as before', async (wrong) => {
    expect(() => call(parseJson, wrong)).toThrow(refusal)
    await expect(call(parseJsonCooperatively, wrong)).rejects.toEqual(refusal)
    expect(() => call(applySplices, wrong, [])).toThrow(refusal)
    const splices = [{ start: 0, end: 1, replacement: wrong }]
    expect(() => call(applySplices, bytes, splices)).toThrow(refusal)
    await expect(call(spliceCooperatively, parseJson(bytes), splices)).rejects.toEqual(refusal)
    if (typeof wrong !== 'string') expect(() => call(encodeJsonString, wrong)).toThrow(refusal)
    for (let time = 0; time < 3; time += 1) {
      expect(parseJson(bytes).root.get('a')?.text()).toBe('b')
      expect(parseJson(new TextEncoder().encode('"bare"')).root.text()).toBe('bare')
    }
  })

  it('bytes of another realm are bytes', () => {
    const foreign = runInNewContext('Uint8Array.from(given)', { given: bytes })
    expect(foreign instanceof Uint8Array).toBe(false)
    expect(parseJson(foreign).root.get('a')?.text()).toBe('b')
    const spliced = applySplices(foreign, [{ start: 5, end: 8, replacement: encodeJsonString('é') }])
    expect(new TextDecoder().decode(spliced)).toBe('{"a":"é"}')
  })

  it.each([Number.NaN, -1, 'x'])('the limit %o is refused', (wrong) => {
    for (const limits of [{ maxDepth: wrong }, { maxNodes: wrong }]) {
      expect(() => call(parseJson, bytes, limits)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  })
})

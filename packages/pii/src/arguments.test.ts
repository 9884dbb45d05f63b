import { runInNewContext } from 'node:vm'
import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import * as detectors from './detectors.ts'
import * as documents from './documents/index.ts'
import * as root from './index.ts'
import * as patterns from './pattern/index.ts'
import * as reversible from './reversible/index.ts'

const pii = { ...root, ...detectors, ...documents, ...patterns, ...reversible }
const { createPatternDetector, createTokenMap } = pii
const detector = createPatternDetector({ name: 'p', settings: { builtins: ['email'] } })
const map = createTokenMap({ texts: [] })
const bytes = new TextEncoder().encode('"mail ada@host.example"')
const WRONG: readonly unknown[] = [undefined, null, {}, [], 7, true]

const functions: Readonly<Record<string, unknown>> = { ...pii }

/** Calls a function without the checks of its types, and awaits the result. */
const call = async (name: keyof typeof pii, ...args: unknown[]): Promise<unknown> =>
  (functions[name] as (...args: unknown[]) => unknown)(...args)

const refusal = expect.objectContaining({ code: expect.stringMatching(/^(?:invalid_argument|pii_config)$/) })

describe('arguments of another type', () => {
  it.each(WRONG)('%o in the place of bytes or text is refused, and later calls still mask', async (wrong) => {
    const options = { format: 'chat-completions', detectors: [detector] }
    await expect(call('filterBody', wrong, options)).rejects.toEqual(refusal)
    await expect(call('filterBody', 'a text', options)).rejects.toEqual(refusal)
    await expect(call('analyzeText', wrong, { detectors: [detector] })).rejects.toEqual(refusal)
    await expect(call('redactText', wrong, { detectors: [detector] })).rejects.toEqual(refusal)
    await expect(call('filterSegments', { segments: [{ text: wrong }] }, { detectors: [] })).rejects.toEqual(refusal)
    await expect(call('restoreText', map, wrong)).rejects.toEqual(refusal)
    await expect(call('restoreJsonBody', map, wrong)).rejects.toEqual(refusal)
    await expect(call('convertOffsets', wrong, [], { from: 'utf8', to: 'utf16' })).rejects.toEqual(refusal)
    const filtered = await pii.filterBody(bytes, { format: 'chat-completions', detectors: [detector] })
    expect(filtered.blocked || Buffer.from(filtered.body).toString()).toBe('"mail [REDACTED:pattern:EMAIL]"')
  })

  it('bytes of another realm are filtered and restored', async () => {
    const foreign = runInNewContext('Uint8Array.from(given)', { given: bytes })
    const options = { format: 'chat-completions', detectors: [detector], reversible: {} } as const
    const filtered = await pii.filterBody(foreign, options)
    if (filtered.blocked || filtered.tokens === undefined) throw new Error('nothing was masked')
    const reply = runInNewContext('Uint8Array.from(given)', { given: filtered.body })
    expect(Buffer.from(pii.restoreJsonBody(filtered.tokens, reply)).toString()).toBe('"mail ada@host.example"')
  })

  it.each([...WRONG, 'toString', 'chat'])('%o is not a format', async (wrong) => {
    await expect(call('filterBody', bytes, { format: wrong, detectors: [detector] })).rejects.toEqual(refusal)
    await expect(call('collectSegments', parseJson(bytes), wrong)).rejects.toEqual(refusal)
    await expect(call('createSseRestorer', wrong, map)).rejects.toEqual(refusal)
    await expect(call('redactText', 'x', { detectors: [], offsetEncoding: wrong ?? null })).rejects.toEqual(refusal)
  })

  it.each([...WRONG.filter((wrong) => !Array.isArray(wrong)), [7], [{}], ['p']])(
    '%o are no detectors',
    async (wrong) => {
      await expect(call('filterBody', bytes, { format: 'completions', detectors: wrong })).rejects.toEqual(refusal)
      await expect(call('redactText', 'x', { detectors: wrong })).rejects.toEqual(refusal)
    },
  )

  it.each(WRONG)('%o is no name and no pattern', async (wrong) => {
    const settings = { builtins: ['email'] }
    await expect(call('createPatternDetector', { name: wrong, settings })).rejects.toEqual(refusal)
    await expect(call('createNerDetector', { name: wrong, settings: {}, classifier: {} })).rejects.toEqual(refusal)
    for (const pattern of [
      { name: wrong, match: 'abcd' },
      { name: 'A', match: wrong },
    ]) {
      const patterns = { name: 'p', settings: { patterns: [pattern] } }
      await expect(call('createPatternDetector', patterns)).rejects.toEqual(refusal)
    }
    expect(() => new pii.CompiledPattern(wrong as string)).toThrow(refusal)
    await expect(call('createTokenMap', { texts: [wrong] })).rejects.toEqual(refusal)
  })

  it.each([...WRONG.filter((wrong) => wrong !== undefined && typeof wrong !== 'object'), null, 'x'])(
    '%o is neither settings, a list nor a map of them',
    (wrong) => {
      const create = (settings: unknown) => () => pii.createDetector({ name: 'p', settings: settings as object })
      expect(create(wrong)).toThrow(refusal)
      const lists = ['builtins', 'patterns', 'encodings', 'allowList', 'protectedTerms', 'phoneRegions']
      const maps = ['denyList', 'operators', 'entityMinScores', 'entityActions']
      for (const key of [...lists, ...maps]) expect(create({ builtins: ['email'], [key]: wrong })).toThrow(refusal)
      expect(create({ patterns: [wrong] })).toThrow(refusal)
      expect(create({ denyList: { A: wrong } })).toThrow(refusal)
      expect(create({ builtins: ['email'], operators: { EMAIL: wrong } })).toThrow(refusal)
    },
  )
})

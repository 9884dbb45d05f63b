import {
  type JsonNode,
  type JsonValue,
  parseJson,
  parseJsonCooperatively,
  toValueCooperatively,
  walkStrings,
} from '@svc/json'
import { describe, expect, it } from 'vitest'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const DEPTH = 100_000
const RAISED = { maxDepth: 200_000, maxNodes: 20_000_000 }

function measureDepth(value: JsonValue): number {
  let depth = 0
  for (let inner: JsonValue | undefined = value; Array.isArray(inner); inner = inner[0]) depth++
  return depth
}

describe('a document 100 000 deep', () => {
  const bytes = encode(`${'['.repeat(DEPTH)}"x"${']'.repeat(DEPTH)}`)

  it('is refused by default, naming the limit', async () => {
    const refusal = { kind: 'invalid_request', code: 'json_limit', message: expect.stringContaining('maxDepth') }
    expect(() => parseJson(bytes)).toThrow(expect.objectContaining(refusal))
    await expect(parseJsonCooperatively(bytes)).rejects.toMatchObject(refusal)
  })

  it('is parsed, walked and turned into a value with the limit raised', async () => {
    const { root } = parseJson(bytes, RAISED)
    expect(measureDepth(root.toValue())).toBe(DEPTH)
    expect(measureDepth(await toValueCooperatively(root))).toBe(DEPTH)
    const [leaf] = walkStrings(root)
    expect(leaf?.path().length).toBe(DEPTH)
    let inner: JsonNode | undefined = root
    while (inner?.kind === 'array') inner = inner.items().next().value ?? undefined
    expect(inner?.text()).toBe('x')
  })

  it('is parsed as objects too', () => {
    const { root } = parseJson(encode(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`), RAISED)
    let depth = 0
    for (let value: JsonValue | undefined = root.toValue(); typeof value === 'object' && value !== null; depth++) {
      value = Array.isArray(value) ? value[0] : value.a
    }
    expect(depth).toBe(DEPTH)
  })

  it('is refused when it never closes', () => {
    expect(() => parseJson(encode('['.repeat(DEPTH)), RAISED)).toThrow(
      expect.objectContaining({ code: 'json_syntax', details: { offset: DEPTH } }),
    )
  })
})

describe('dense and long documents of a few megabytes', () => {
  it('of numbers', () => {
    const { root, nodeCount } = parseJson(encode(`[${'1,'.repeat(1_500_000)}2]`))
    expect([root.length, nodeCount]).toEqual([1_500_001, 1])
  })

  it('of empty objects', () => {
    const { root, nodeCount } = parseJson(encode(`[${'{},'.repeat(1_200_000)}{}]`), RAISED)
    expect([root.length, nodeCount]).toEqual([1_200_001, 1_200_002])
  })

  it('of keys', () => {
    const keys = Array.from({ length: 300_000 }, (_, index) => `"key${index}":${index}`)
    const { root } = parseJson(encode(`{${keys.join(',')}}`))
    expect(root.get('key299999')?.number()).toBe(299_999)
    expect(root.length).toBe(300_000)
  })

  it('of one string, plain or escaped', () => {
    for (const text of ['a'.repeat(3_000_000), 'é\n"\u0000'.repeat(500_000)]) {
      expect(parseJson(encode(JSON.stringify(text))).root.text()).toBe(text)
    }
  })
})

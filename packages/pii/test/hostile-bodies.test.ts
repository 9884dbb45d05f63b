import { applySplices, parseJson } from '@svc/json'
import { collectSegments } from '@svc/pii/documents'
import { describe, expect, it } from 'vitest'

const encode = (text: string) => new TextEncoder().encode(text)
const tool = (content: string) => encode(JSON.stringify({ messages: [{ role: 'tool', content }] }))

/** Rewrites a body with every text in upper case. */
function rewriteAll(bytes: Uint8Array): Uint8Array {
  const { segments, toSplices } = collectSegments(parseJson(bytes), 'chat-completions')
  const rewritten = toSplices(new Map(segments.map((segment) => [segment, segment.text.toUpperCase()])))
  if (rewritten.kind !== 'splices') throw new Error('collision')
  return applySplices(bytes, rewritten.splices)
}

describe('bodies made to cost much', () => {
  it('JSON inside strings as often as 4 MB hold', () => {
    let text = 'secret'
    let levels = 0
    for (let next = JSON.stringify([text]); next.length < 4_000_000; next = JSON.stringify([text])) {
      text = next
      levels += 1
    }
    expect(levels).toBeGreaterThan(15)
    let value: unknown = JSON.parse(new TextDecoder().decode(rewriteAll(tool(text)))).messages[0].content
    for (let level = 0; level < levels; level++) value = (JSON.parse(String(value)) as unknown[])[0]
    expect(value).toBe('SECRET')
  })

  it('as deep as a body may be, with JSON as deep as that may be', () => {
    const inner = `${'{"a":'.repeat(999)}"secret"${'}'.repeat(999)}`
    const body = `{"messages":[{"content":${'['.repeat(120)}${JSON.stringify(inner)}${']'.repeat(120)}}]}`
    expect(new TextDecoder().decode(rewriteAll(encode(body)))).toContain('SECRET')
    expect(new TextDecoder().decode(rewriteAll(tool(inner)))).toContain('SECRET')
  })

  it('50,000 members, keys rewritten', () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key ${index}`, 'x']))
    const out = JSON.parse(new TextDecoder().decode(rewriteAll(encode(JSON.stringify({ metadata: members })))))
    expect(out.metadata['KEY 49999']).toBe('X')
  })

  it('line feeds where base64 is looked for', () => {
    const url = `data:image/png;base64,${'\n'.repeat(3_000_000)}-`
    const body = encode(JSON.stringify({ messages: [{ content: [{ type: 'image_url', image_url: { url } }] }] }))
    expect(collectSegments(parseJson(body), 'chat-completions').segments).toHaveLength(1)
  })

  it('blanks before invalid JSON', () => {
    const { segments } = collectSegments(parseJson(tool(`${' '.repeat(3_000_000)}{`)), 'chat-completions')
    expect(segments).toHaveLength(1)
  })
})

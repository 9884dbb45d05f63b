import { describe, expect, it } from 'vitest'
import { wordDetector } from './__fixtures__/detectors.ts'
import { type FilterBodyOptions, filterBody } from './filter-body.ts'
import { restoreJsonBody } from './reversible/restore-json.ts'
import { createUnavailableDetector } from './unavailable-detector.ts'

const detectors = [wordDetector('ada')]
const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** A chat request of one message, in unusual spacing. */
const chat = (content: string) => `{ "model":"m",  "messages":[{"role":"user","content":${content}}], "seed":1.0 }`

function filter(body: string, options: Partial<FilterBodyOptions> = {}) {
  return filterBody(encode(body), { format: 'chat-completions', detectors, ...options })
}

describe('a body', () => {
  it('is masked, and keeps every other byte', async () => {
    const filtered = await filter(chat('"I am \\u0061da"'))
    expect(filtered.blocked ? undefined : decode(filtered.body)).toBe(chat('"I am [REDACTED:ner:ADA]"'))
    expect(filtered.outcome.masked).toBe(true)
    expect(filtered.segments.map(({ path }) => path)).toEqual(['messages[0].content'])
  })

  it('returns the same bytes when nothing is masked', async () => {
    const bytes = encode(chat('"hello"'))
    const filtered = await filterBody(bytes, { format: 'chat-completions', detectors })
    expect(filtered.blocked ? undefined : filtered.body).toBe(bytes)
  })

  it('that a detection blocks does not go on', async () => {
    const filtered = await filter(chat('"ada 1234"'), {
      detectors: [...detectors, wordDetector('1234', { action: 'block' })],
    })
    expect(filtered).toMatchObject({ blocked: true, reason: 'detection' })
    expect(filtered).not.toHaveProperty('body')
    expect(filtered.outcome.segments[0]?.spans.map(({ action }) => action)).toEqual(['mask', 'block'])
  })

  it('with media goes on unless that is forbidden, and then no detector is asked', async () => {
    const image = chat('[{"type":"image_url","image_url":{"url":"https://x.example/i.png"}}]')
    expect((await filter(image)).blocked).toBe(false)
    const blockUnscannedMedia = true
    const gone = [createUnavailableDetector('gone')]
    expect(await filter(image, { blockUnscannedMedia, detectors: gone })).toMatchObject({
      blocked: true,
      reason: 'media',
    })
    expect((await filter(chat('"hello"'), { blockUnscannedMedia })).blocked).toBe(false)
  })

  it('whose keys would become one is refused', async () => {
    const body = '{"messages":[],"metadata":{"ada":1,"[REDACTED:ner:ADA]":2}}'
    expect(await filter(body)).toMatchObject({ blocked: true, reason: 'key-collision' })
  })

  it('with ambiguous text is refused', async () => {
    await expect(filter('{"messages":[{"role":"user","Content":"ada"}]}')).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'pii_unclear_body',
    })
  })

  it('that is not JSON, or whose detector is gone, is refused', async () => {
    await expect(filter('{"messages":')).rejects.toMatchObject({ code: 'json_syntax' })
    const gone = filter(chat('"hello"'), { detectors: [createUnavailableDetector('gone')] })
    await expect(gone).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
  })
})

describe('with tokens', () => {
  it('values come back in the reply', async () => {
    const filtered = await filter(chat('"I am ada, [REDACTED:ADA_001]"'), { reversible: {} })
    if (filtered.blocked || filtered.tokens === undefined) throw new Error('there are no tokens')
    expect(decode(filtered.body)).toBe(chat('"I am [REDACTED:ADA_002], [REDACTED:ADA_001]"'))
    const reply = encode('{"choices":[{"message":{"content":"Hello [REDACTED:ADA_002]"}}]}')
    expect(decode(restoreJsonBody(filtered.tokens, reply))).toContain('"Hello ada"')
  })

  it('a body without any has nothing to restore', async () => {
    expect(await filter(chat('"hello"'), { reversible: {} })).toMatchObject({ blocked: false, tokens: undefined })
  })
})

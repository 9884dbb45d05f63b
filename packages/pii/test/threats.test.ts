import { inspect } from 'node:util'
import { type FilteredBody, filterBody } from '@svc/pii'
import { createFindingEvents, createHashPrefix } from '@svc/pii/audit'
import { createDetector, type Detector, type JudgedDetection } from '@svc/pii/detectors'
import type { DocumentFormat } from '@svc/pii/documents'
import { restoreJsonBody } from '@svc/pii/reversible'
import { describe, expect, it } from 'vitest'
import { allTexts } from './json-text.ts'

/*
 * Attacks on the filter, by their ids. Each test filters a body and checks that no string of the forwarded one holds
 * the secret.
 */

const SECRET = `ghp_${'A1b2'.repeat(9)}`
const MASK = '[REDACTED:pattern:CODEHOST_TOKEN]'
const keys = createDetector({ name: 'keys', settings: { builtins: ['all'] } })

function filter(body: unknown, detectors: readonly Detector[] = [keys], format: DocumentFormat = 'chat-completions') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return filterBody(new TextEncoder().encode(text), { format, detectors })
}

function forwarded(filtered: FilteredBody): string {
  if (filtered.blocked) throw new Error(`blocked: ${filtered.reason}`)
  return new TextDecoder().decode(filtered.body)
}

/** The forwarded body. None of its strings holds the secret. */
async function masked(...given: Parameters<typeof filter>): Promise<string> {
  const result = forwarded(await filter(...given))
  expect(allTexts(result).join('\n')).not.toContain(SECRET)
  return result
}

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

it('PII-1: escapes in the JSON hide nothing', async () => {
  const escaped = Array.from(SECRET, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  expect(await masked(`{"messages":[{"content":"\\ud83d\\udd11\\/${escaped.join('')}\\/"}]}`)).toBe(
    `{"messages":[{"content":"🔑/${MASK}/"}]}`,
  )
  expect(await masked(`{"messages":[{"content":"\\ud83d${SECRET}"}]}`)).toBe(
    `{"messages":[{"content":"\ufffd${MASK}"}]}`,
  )
})

it('PII-2: JSON inside strings is looked into, and is still JSON afterwards', async () => {
  const nested = JSON.stringify({ deep: JSON.stringify([{ token: SECRET, [`for ${SECRET}`]: 1 }]) })
  const escaped = nested.replace('ghp_', '\\u0067hp_')
  for (const text of [nested, escaped]) {
    const result = JSON.parse(
      await masked({
        messages: [
          { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: text } }] },
          { role: 'tool', content: text },
        ],
      }),
    )
    for (const inner of [result.messages[0].tool_calls[0].function.arguments, result.messages[1].content]) {
      expect(JSON.parse(JSON.parse(inner).deep)).toEqual([{ token: MASK, [`for ${MASK}`]: 1 }])
    }
  }
})

it('PII-3: a secret split over parts is masked in each, over messages together with the text between', async () => {
  for (let cut = 1; cut < SECRET.length; cut++) {
    const parts = [SECRET.slice(0, cut), SECRET.slice(cut)].map((text) => ({ type: 'text', text }))
    const [first, second] = JSON.parse(forwarded(await filter(user(parts)))).messages[0].content
    expect([cut, first.text, second.text]).toEqual([cut, MASK, MASK])
  }
  const over = createDetector({ name: 'pin', settings: { patterns: [{ name: 'PIN', match: 'pin is\\s+[0-9]{4}' }] } })
  const body = { messages: [{ content: 'the pin is' }, { content: '4421 ok' }] }
  const { messages } = JSON.parse(forwarded(await filter(body, [over])))
  expect(messages).toEqual([{ content: 'the [REDACTED:pattern:PIN]' }, { content: '[REDACTED:pattern:PIN] ok' }])
})

it('PII-4 and PII-5: invisible characters, and letters in other forms, hide nothing', async () => {
  const unseen = ['\u200b', '\u00ad', '\u202e', '\ufe0f', '\u0301', '\u{e0041}']
  for (const character of unseen) {
    const hidden = [...SECRET].join(character)
    expect(await masked(user(`a ${hidden} b`))).toBe(JSON.stringify(user(`a ${MASK} b`)))
  }
  const wide = [...SECRET].map((character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)).join('')
  expect(await masked(user(`a ${wide} b`))).toBe(JSON.stringify(user(`a ${MASK} b`)))
})

it('PII-6: blanks, line breaks and hyphens of any kind between digits hide no number', async () => {
  const detector = createDetector({ name: 'd', settings: { builtins: ['credit_card', 'iban', 'phone'] } })
  for (const gap of [' ', '\t', '\n', '\u00a0', '\u2009', '-', '\u2010', '\u2011', '\u2013']) {
    const text = ['4111', '1111', '1111', '1111'].join(gap)
    const found = forwarded(await filter(user(`card ${text}.`), [detector]))
    expect([gap, found]).toEqual([gap, JSON.stringify(user('card [REDACTED:pattern:CREDITCARD].'))])
  }
})

it('PII-7: encoded text is found when the detector reads encodings', async () => {
  const settings = {
    builtins: ['codehost_token'],
    encodings: ['base64', 'hex', 'percent', 'html', 'reversed'],
  } as const
  const reading = createDetector({ name: 'd', settings })
  const encoded = [
    btoa(`key: ${SECRET}`),
    Buffer.from(`key: ${SECRET}`).toString('hex'),
    SECRET.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
    SECRET.replace(/./g, (character) => `&#${character.charCodeAt(0)};`),
    [...SECRET].reverse().join(''),
  ]
  for (const text of encoded) {
    expect(await masked(user(`é ${text} 🔑`), [reading])).toBe(JSON.stringify(user(`é ${MASK} 🔑`)))
    expect(forwarded(await filter(user(text)))).toBe(JSON.stringify(user(text)))
  }
  const blocking = createDetector({ name: 'd', settings: { ...settings, defaultAction: 'block' } })
  expect(await filter(user(encoded[0]), [blocking])).toMatchObject({ blocked: true, reason: 'detection' })
})

it('PII-8: no field hides text, known or not, nor its name', async () => {
  const fields = {
    model: 'm',
    user: SECRET,
    metadata: { [`key ${SECRET}`]: SECRET },
    stop: [SECRET],
    prediction: { type: 'content', content: SECRET },
    documents: [{ text: SECRET }],
    suffix: SECRET,
    unknown: { deep: [[{ x: SECRET }]] },
    tools: [
      {
        type: 'function',
        function: { name: 'f', description: SECRET, parameters: { properties: { [SECRET]: { enum: [SECRET] } } } },
      },
    ],
    messages: [
      { role: 'user', name: SECRET, content: [{ type: 'kind_of_tomorrow', payload: { any: SECRET } }] },
      { role: 'system', content: [{ type: 'text', text: SECRET }] },
    ],
  }
  expect((await masked(fields)).split(MASK)).toHaveLength(14 + 1)
  expect(await masked({ system: [{ type: 'text', text: SECRET }], messages: [] }, [keys], 'messages')).toContain(MASK)
  expect(await masked({ instructions: SECRET, input: SECRET }, [keys], 'responses')).not.toContain(SECRET)
})

describe('PII-9: text for other readers', () => {
  it('is scanned too where a key stands twice', async () => {
    const body = `{"messages":[{"content":"${SECRET}","content":"x"},{"content":"x","content":"${SECRET}"}]}`
    expect(await masked(body)).toBe(body.replaceAll(SECRET, MASK))
  })

  it.each([
    ['a key that differs by case', `{"messages":[{"content":"x","Content":"${SECRET}"}]}`],
    ['a key that differs by case in Unicode', `{"me\u017f\u017fages":[{"content":"${SECRET}"}]}`],
    ['a byte order mark', `\ufeff{"messages":[{"content":"${SECRET}"}]}`],
    ['a comment', `{"messages":[{"content":"x"}]/* ${SECRET} */}`],
    ['NaN', `{"n":NaN,"messages":[{"content":"${SECRET}"}]}`],
    ['a second document', `{"messages":[]}{"messages":[{"content":"${SECRET}"}]}`],
  ])('is refused: %s', async (_, body) => {
    await expect(filter(body)).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is refused: bytes that are no UTF-8', async () => {
    const bytes = new TextEncoder().encode(`{"messages":[{"content":"${SECRET}?"}]}`)
    bytes[bytes.indexOf(0x3f)] = 0xff
    await expect(filterBody(bytes, { format: 'chat-completions', detectors: [keys] })).rejects.toMatchObject({
      kind: 'invalid_request',
    })
  })
})

describe('PII-11: documents inside of strings', () => {
  const part = (url: string) => user([{ type: 'file', file: { file_data: url } }])

  it.each([
    ['UTF-8', (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`],
    [
      'UTF-16',
      (text: string) => `data:text/csv;charset=utf-16le;base64,${Buffer.from(text, 'utf16le').toString('base64')}`,
    ],
    ['percent signs', (text: string) => `data:text/markdown,${encodeURIComponent(text)}`],
    ['JSON', (text: string) => `data:application/json;base64,${Buffer.from(text).toString('base64')}`],
  ])('of text are scanned and written anew: %s', async (_, write) => {
    expect(await masked(part(write(`é ${SECRET} 🔑`)))).toBe(JSON.stringify(part(write(`é ${MASK} 🔑`))))
  })

  it('of any other bytes are media, which a policy may refuse', async () => {
    const body = new TextEncoder().encode(JSON.stringify(part(`data:application/pdf;base64,${btoa(SECRET)}`)))
    const options = { format: 'chat-completions', detectors: [keys] } as const
    expect(await filterBody(body, { ...options, blockUnscannedMedia: true })).toMatchObject({ reason: 'media' })
    expect(await filterBody(body, options)).toMatchObject({ blocked: false })
  })
})

it('PII-12: a detector that reports an impossible span refuses the request', async () => {
  const hit = { group: 'X', source: 'ner', score: 1, action: 'mask' } as const
  for (const place of [
    { start: -1, end: 2 },
    { start: 0, end: 99 },
    { start: 3, end: 3 },
    { start: 0, end: 1 },
    { start: 0.5, end: 2 },
  ]) {
    const broken: Detector = { name: 'broken', detect: async () => [{ ...hit, ...place }] }
    await expect(filter(user('🔑 x'), [broken, keys])).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
  }
  const bytes = { classify: async () => [{ start: 1, end: 4, group: 'X', score: 1 }] }
  const misplaced = createDetector({ name: 'ner', settings: {}, classifier: bytes })
  await expect(filter(user('🔑 x'), [misplaced])).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
})

it('PII-13: no finding is left out, for any number', async () => {
  const many = 50_000
  const result = forwarded(await filter(user(`${SECRET} `.repeat(many))))
  expect(result.split(MASK)).toHaveLength(many + 1)
  expect(result).not.toContain('ghp_')
})

it('PII-14: text that already looks like a token is none, in the request and in the reply', async () => {
  const look = '[REDACTED:CODEHOST_TOKEN_001]'
  const body = new TextEncoder().encode(JSON.stringify(user(`${look} ${SECRET}`)))
  const filtered = await filterBody(body, { format: 'chat-completions', detectors: [keys], reversible: {} })
  expect(forwarded(filtered)).toContain(`${look} [REDACTED:CODEHOST_TOKEN_002]`)
  if (filtered.blocked || filtered.tokens === undefined) throw new Error('no tokens')
  const answer = `${look} [REDACTED:CODEHOST_TOKEN_002] [REDACTED:CODEHOST_TOKEN_00`
  const reply = new TextEncoder().encode(JSON.stringify({ choices: [{ message: { content: answer } }] }))
  const restored = restoreJsonBody(filtered.tokens, reply)
  expect(JSON.parse(new TextDecoder().decode(restored)).choices[0].message.content).toBe(
    `${look} ${SECRET} [REDACTED:CODEHOST_TOKEN_00`,
  )
})

it('PII-15: events and errors hold nothing of the text', async () => {
  const { outcome, segments } = await filter({ messages: [{ content: `my ${SECRET} is here` }], [`a ${SECRET}`]: 'b' })
  const context = { origin: 'middleware', correlationId: 'c', userId: 'u', createdAt: 0 } as const
  const events = await createFindingEvents(outcome, { context, segments, hashPrefix: createHashPrefix() })
  expect(events).toMatchObject([
    { patternId: 'pattern:CODEHOST_TOKEN', byteOffset: 3, length: 40, segment: 'messages[0].content' },
    { patternId: 'pattern:CODEHOST_TOKEN', byteOffset: 2, length: 40 },
  ])
  expect(JSON.stringify(events)).not.toMatch(/ghp|is here/)

  const failing: Detector = { name: 'd', detect: ({ text }) => Promise.reject(new Error(text)) }
  const error: unknown = await filter(user(SECRET), [failing]).catch((reason: unknown) => reason)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(SECRET)
})

describe('PII-16: protected terms', () => {
  const classify = async (text: string) => {
    const at = text.indexOf('Ada')
    return at === -1 ? [] : [{ start: at, end: at + 3, group: 'NAME', score: 1 }]
  }
  const settings = { builtins: ['codehost_token'] as const, protectedTerms: ['Acme', SECRET] }
  const both = createDetector({ name: 'both', settings, classifier: { classify } })

  it('come back where their place is taken in the text already', async () => {
    expect(forwarded(await filter(user('[PROTECTED] Acme and Ada [PROTECTED]'), [both]))).toBe(
      JSON.stringify(user('[PROTECTED] Acme and [REDACTED:ner:NAME] [PROTECTED]')),
    )
  })

  it('protect no secret from patterns', async () => {
    expect(await masked(user(`Acme ${SECRET}`), [both])).toBe(JSON.stringify(user(`Acme ${MASK}`)))
  })
})

it('PII-17: where detectors disagree the strongest counts for all that they found together', async () => {
  const finds = (start: number, end: number, action: JudgedDetection['action']): Detector => ({
    name: `${action}s`,
    detect: async () => [{ start, end, action, group: action.toUpperCase(), source: 'ner', score: 1 }],
  })
  const [allow, mask, block] = [finds(0, 6, 'allow'), finds(4, 10, 'mask'), finds(9, 12, 'block')]
  for (const detectors of [
    [allow, mask],
    [mask, allow],
  ]) {
    expect(forwarded(await filter(user('0123456789abcd'), detectors))).toBe(
      JSON.stringify(user('[REDACTED:ner:MASK]abcd')),
    )
  }
  expect(await filter(user('0123456789abcd'), [allow, block, mask])).toMatchObject({ blocked: true })
})

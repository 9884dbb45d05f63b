import { createHash, createHmac } from 'node:crypto'
import { findCanaries, makeCanary } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { hit, toDetector, wordDetector } from './__fixtures__/detectors.ts'
import {
  type AuditContext,
  createFindingEvents,
  createUnavailableEvent,
  createUnscannedMediaEvent,
  findRefusingEvent,
} from './audit.ts'
import type { Detector } from './detector.ts'
import { filterSegments } from './filter.ts'
import { createHashPrefix } from './hash-prefix.ts'

const context: AuditContext = { origin: 'middleware', createdAt: 1_000, correlationId: 'c1', userId: 'u1' }
const hashPrefix = createHashPrefix()

async function findEvents(segments: readonly { text: string; path?: string }[], detectors: readonly Detector[]) {
  return createFindingEvents(await filterSegments({ segments }, { detectors }), { context, segments, hashPrefix })
}

describe('the events of a request', () => {
  it('list the findings with their segment and byte offsets, allowed ones too', async () => {
    const segments = [{ text: 'Hello' }, { text: 'é🚲 ada, bo', path: 'messages[1].content' }]
    const events = await findEvents(segments, [
      wordDetector('ada'),
      wordDetector('bo', { action: 'allow', source: 'pattern', score: 1 }),
    ])
    const common = { ...context, kind: 'pii', direction: 'in', id: expect.stringMatching(/^pii_[0-9a-f]{24}$/) }
    const segment = 'messages[1].content'
    const sha = (value: string) => createHash('sha256').update(value).digest('hex').slice(0, 8)
    expect(events).toEqual([
      {
        ...common,
        segment,
        patternId: 'ner:ADA',
        action: 'mask',
        byteOffset: 7,
        length: 3,
        score: 0.9,
        hashPrefix: sha('ada'),
      },
      {
        ...common,
        segment,
        patternId: 'pattern:BO',
        action: 'allow',
        byteOffset: 12,
        length: 2,
        score: 1,
        hashPrefix: sha('bo'),
      },
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(2)
  })

  it('of a block name the one that refuses', async () => {
    const events = await findEvents(
      [{ text: 'ada 1234' }],
      [wordDetector('ada'), wordDetector('1234', { action: 'block' })],
    )
    expect(events.map(({ action }) => action)).toEqual(['mask', 'block'])
    expect(findRefusingEvent(events)).toBe(events[1])
    expect(findRefusingEvent([])).toBeUndefined()
  })

  it('have the same hash for the same value, wherever it stands', async () => {
    const events = await findEvents([{ text: 'ada ada' }, { text: 'x ada' }], [wordDetector('ada')])
    expect(new Set(events.map((event) => event.hashPrefix)).size).toBe(1)
    expect(events.map(({ byteOffset }) => byteOffset)).toEqual([0, 4, 2])
  })

  it('never hold the found text or the text around it', async () => {
    const secret = makeCanary('api key')
    const text = `my key is ${secret.value} and nobody may see it`
    const events = await findEvents([{ text, path: 'input' }], [wordDetector(secret.value, { group: 'KEY' })])
    expect(events).toHaveLength(1)
    const written = JSON.stringify(events)
    expect(findCanaries(written, [secret])).toEqual([])
    expect(written).not.toContain('nobody')
  })

  it('are 10,000 at most, blocking ones first', async () => {
    const detector = toDetector(({ text }) =>
      [...Array(text.length / 2).keys()].map((index) => {
        return hit(2 * index, 2 * index + 1, { action: index === 11_000 ? 'block' : 'allow' })
      }),
    )
    const events = await findEvents([{ text: 'ab'.repeat(12_000) }], [detector])
    expect(events).toHaveLength(10_000)
    expect(events.filter(({ action }) => action === 'block').map(({ byteOffset }) => byteOffset)).toEqual([22_000])
  })
})

describe('a refusal without a finding', () => {
  it('is an event without a place', () => {
    const common = { ...context, kind: 'pii', direction: 'in', action: 'block', byteOffset: 0, length: 0 }
    expect(createUnavailableEvent(context)).toEqual({
      ...common,
      id: expect.stringMatching(/^pii_[0-9a-f]{24}$/),
      patternId: '__ner_unavailable__',
    })
    const media = createUnscannedMediaEvent(
      { ...context, origin: 'proxy', host: 'api.example' },
      'messages[0].content[1]',
    )
    expect(media).toEqual({
      ...common,
      id: expect.stringMatching(/^pii_[0-9a-f]{24}$/),
      origin: 'proxy',
      host: 'api.example',
      patternId: '__unscanned_media__',
      segment: 'messages[0].content[1]',
    })
  })
})

describe('the prefix of a hash', () => {
  it('is of the SHA-256 of the UTF-8', async () => {
    expect(await hashPrefix('Žižek 東京 🚲')).toBe(
      createHash('sha256').update('Žižek 東京 🚲').digest('hex').slice(0, 8),
    )
  })

  it('is of an HMAC where there is a key', async () => {
    const key = new Uint8Array(32).fill(7)
    const keyed = createHashPrefix({ key })
    const expected = createHmac('sha256', key).update('ada').digest('hex').slice(0, 8)
    expect([await keyed('ada'), await keyed('ada')]).toEqual([expected, expected])
  })
})

import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hit } from '../__fixtures__/detectors.ts'
import { createDetector } from '../create-detector.ts'
import type { JudgedDetection, ScanDocument } from '../detector.ts'
import { filterSegments } from '../filter.ts'
import type { TokenClassifier } from '../ports.ts'
import type { DetectionSettings } from '../settings.ts'
import { packDetections, unpackDetections } from './packed-detections.ts'
import { packDocument, unpackDocument } from './packed-document.ts'
import { createPatternScanner } from './pattern-scanner.ts'
import { listBuffers, type PatternScanner, type PatternTask } from './port.ts'

const { signal } = new AbortController()
const settings: DetectionSettings = {
  builtins: ['email'],
  patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}', minLen: 3 }],
  entityActions: { EMAIL: 'block' },
}
const text = (body: string): ScanDocument => {
  return { text: body, segments: [{ start: 0, end: body.length }], messages: [] }
}

const packed = (body: string) => packDocument(text(body), {})

/** A scanner whose tasks and answers cross to another thread, as far as values show it. */
function recordingScanner(answer: PatternScanner = createPatternScanner()) {
  const tasks: PatternTask[] = []
  const scanner: PatternScanner = {
    async scan(task, options) {
      tasks.push(structuredClone(task))
      const found = await answer.scan(structuredClone(task, { transfer: listBuffers(task) }), options)
      return structuredClone(found, { transfer: listBuffers(found) })
    },
  }
  return { scanner, tasks }
}

describe('a detector that has large documents looked at elsewhere', () => {
  it('finds there the same as here', async () => {
    const { scanner, tasks } = recordingScanner()
    const here = createDetector({ name: 'keys', settings })
    const elsewhere = createDetector({ name: 'keys', settings, offload: { scanner, above: 20 } })
    const large = text('ada@host.example has tick-1234, bo@host.example none')
    const found = await elsewhere.detect(large, { signal })
    expect(found).toHaveLength(3)
    expect(found).toEqual(await here.detect(large, { signal }))
    expect(tasks.map(({ document }) => unpackDocument(document))).toEqual([large])
  })

  it('looks at all others itself', async () => {
    const { scanner, tasks } = recordingScanner()
    // One slice is enough on a busy machine too.
    const slices = { sliceMs: 60_000 }
    const detector = createDetector({ name: 'keys', settings, slices, offload: { scanner } })
    const unread = {
      get signal(): AbortSignal {
        throw new Error('a signal is made for a document that is scanned at once')
      },
    }
    expect(detector.detect(text('tick-1234'), unread)).toHaveLength(1)
    expect(await detector.detect(text(`tick-1234 ${'x'.repeat(65_526)}`), { signal })).toHaveLength(1)
    expect(tasks).toEqual([])
    expect(await detector.detect(text(`tick-1234 ${'x'.repeat(65_527)}`), { signal })).toHaveLength(1)
    expect(tasks).toHaveLength(1)
  })

  it('sends nothing that is used here: operators, allowed values, minimum scores of the recogniser', async () => {
    const { scanner, tasks } = recordingScanner()
    const classifier: TokenClassifier = { classify: async () => [] }
    const detector = createDetector({
      name: 'keys',
      settings: {
        ...settings,
        denyList: { PROJECT: ['Blue Heron'] },
        allowList: ['info@host.example'],
        operators: { EMAIL: { hashKeyEnv: 'KEY' }, PER: { replace: 'x' } },
        entityMinScores: { PER: 0.5, EMAIL: 0.9 },
      },
      classifier,
      readSecret: () => 'a key of the tests only',
      offload: { scanner, above: 20 },
    })
    const found = await detector.detect(text('info@host.example and ada@host.example on blue heron'), { signal })
    expect(found.map(({ group, start }) => [group, start])).toEqual([
      ['EMAIL', 22],
      ['PROJECT', 42],
    ])
    expect(found[0]?.writeMask).toBeDefined()
    expect(tasks[0]?.settings).toMatchObject({ denyList: { PROJECT: ['Blue Heron'] }, entityMinScores: { EMAIL: 0.9 } })
    expect(tasks[0]?.settings.operators ?? tasks[0]?.settings.allowList).toBeUndefined()
  })

  it('sends no lists of terms, and keeps the recogniser where it is', async () => {
    const { scanner, tasks } = recordingScanner()
    const sent: string[] = []
    const classifier: TokenClassifier = {
      async classify(part) {
        sent.push(part)
        return []
      },
    }
    const both = { ...settings, protectedTerms: ['Acme'], protectedTermsFiles: ['terms.txt'] }
    const detector = createDetector({ name: 'both', settings: both, classifier, offload: { scanner, above: 1 } })
    expect(await detector.detect(text('tick-1234'), { signal })).toHaveLength(1)
    expect(sent).toEqual(['tick-1234'])
    expect(JSON.stringify(tasks)).not.toMatch(/Acme|terms\.txt/)
  })

  it('fails when they fail there', async () => {
    const broken = new SvcError('unavailable', 'no thread', { code: 'no_thread' })
    const scanner: PatternScanner = { scan: () => Promise.reject(broken) }
    const detectors = [createDetector({ name: 'keys', settings, offload: { scanner, above: 1 } })]
    await expect(filterSegments({ segments: [{ text: 'tick-1234' }] }, { detectors })).rejects.toMatchObject({
      code: 'pii_ner_unavailable',
      details: { failures: [{ detector: 'keys', reason: 'failed', code: 'no_thread' }] },
    })
  })
})

describe('a scanner', () => {
  it('keeps the detectors last used, and no more of them than it may', async () => {
    let reads = 0
    const counted = (name: string): DetectionSettings => ({
      builtins: [],
      patterns: [
        {
          get name() {
            // Reading it once identifies the detector; creating one reads it more often.
            reads += 1
            return name
          },
          match: 'tick-[0-9]{4}',
        },
      ],
    })
    const scanner = createPatternScanner({ maxDetectors: 2 })
    const countReads = async (name: string): Promise<number> => {
      reads = 0
      await scanner.scan({ settings: counted(name), document: await packed('tick-1234') }, { signal })
      return reads
    }
    const fresh = await countReads('A')
    const known = await countReads('A')
    expect(known).toBeLessThan(fresh)
    expect([await countReads('B'), await countReads('A'), await countReads('C'), await countReads('A')]).toEqual([
      fresh,
      known,
      fresh,
      known,
    ])
    expect(await countReads('B')).toBe(fresh)
  })

  it('refuses invalid settings, and stops at an abort', async () => {
    const scanner = createPatternScanner()
    const document = await packed('x')
    const task = (patterns: DetectionSettings['patterns']): PatternTask => ({ settings: { patterns }, document })
    await expect(scanner.scan(task([]), { signal })).rejects.toMatchObject({ code: 'pii_config' })
    await expect(scanner.scan(task([{ name: 'ALL', match: '.*' }]), { signal })).rejects.toMatchObject({
      code: 'pii_config',
    })
    const reason = new Error('gone')
    const gone = AbortSignal.abort(reason)
    await expect(scanner.scan({ settings, document }, { signal: gone })).rejects.toBe(reason)
  })
})

describe('packed detections', () => {
  const detection = fc.record({
    start: fc.nat(1e6),
    end: fc.nat(1e6),
    group: fc.constantFrom('A', 'B'),
    action: fc.constantFrom('mask', 'block', 'allow'),
    source: fc.constantFrom('ner', 'pattern'),
    score: fc.constantFrom(1, 0.25),
    rank: fc.constantFrom(undefined, 0, 3),
  }) satisfies fc.Arbitrary<JudgedDetection>

  it('are the same when they are unpacked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(detection, { maxLength: 50 }), async (detections) => {
        const packed = packDetections(detections)
        expect(packed.kinds.length).toBeLessThanOrEqual(Math.min(detections.length, 72))
        expect(await unpackDetections(structuredClone(packed), {})).toEqual(detections)
      }),
    )
  })

  it('yield to other work, and end at an abort', async () => {
    const packed = packDetections(Array.from({ length: 10_000 }, (_, index) => hit(index, index + 1)))
    let turns = 0
    const yieldControl = async (): Promise<void> => {
      turns += 1
    }
    expect(await unpackDetections(packed, { sliceMs: 0, yieldControl })).toHaveLength(10_000)
    expect(turns).toBe(4)
    const reason = new Error('gone')
    await expect(unpackDetections(packed, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('of a kind that is not there are refused', async () => {
    const { kinds, places } = packDetections([hit(0, 1)])
    places[2] = 1
    await expect(unpackDetections({ kinds, places }, {})).rejects.toMatchObject({ code: 'pii_bad_span' })
  })
})

describe('a packed document', () => {
  const spans = fc.array(fc.record({ start: fc.nat(1e6), end: fc.nat(1e6) }), { maxLength: 20 })
  const document = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), segments: spans, messages: spans })

  it('is the same when it is unpacked', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.nat(200_000), async (drawn, before) => {
        const long = { ...drawn, text: `\ufeff${'é'.repeat(before)}${drawn.text.repeat(3000)}` }
        const task: PatternTask = { settings, document: await packDocument(long, {}) }
        expect(unpackDocument(structuredClone(task, { transfer: listBuffers(task) }).document)).toEqual(long)
      }),
      { numRuns: 40 },
    )
  })

  it('has no character in two pieces', async () => {
    const long = text(`a${'🚲'.repeat(150_000)}`)
    const { text: pieces } = await packDocument(long, {})
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.map((piece) => Buffer.from(piece).toString()).join('')).toBe(long.text)
  })

  it('yields to other work, and ends at an abort', async () => {
    let turns = 0
    const yieldControl = async (): Promise<void> => {
      turns += 1
    }
    const many = {
      ...text('x'.repeat(1_000_000)),
      segments: Array.from({ length: 50_000 }, () => ({ start: 0, end: 1 })),
    }
    await packDocument(many, { sliceMs: 0, yieldControl })
    expect(turns).toBeGreaterThan(10)
    const reason = new Error('gone')
    await expect(packDocument(many, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

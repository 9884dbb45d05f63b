// Measures the cost of decoding encodings for a detector of patterns, on text with almost no encoded parts and on fully
// encoded text: MB of text a second with and without it, in one run, the best of interleaved rounds.
//   cd bench && node --conditions=@svc/source --import tsx src/pii-encodings.ts [--rounds 15]
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { DetectionSettings } from '@svc/pii'
import { createDetector, ENCODINGS, type Encoding, type ScanDocument } from '@svc/pii/detectors'
import { chatCorpus } from './pii-corpus.ts'
import { FIVE_PATTERNS } from './server.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const rounds = Number(values.rounds)

const TEXT_LENGTH = 2 ** 20
const MESSAGE_LENGTH = 4000
const { signal } = new AbortController()

const CHOICES: readonly (readonly Encoding[])[] = [
  [],
  ['base64', 'hex'],
  ['percent', 'html'],
  ENCODINGS.filter((name) => name !== 'reversed'),
  ['reversed'],
  ENCODINGS,
]

/** A conversation with messages of equal length. */
function conversation(text: string): ScanDocument {
  const messages: string[] = []
  for (let at = 0; at < text.length; at += MESSAGE_LENGTH) messages.push(text.slice(at, at + MESSAGE_LENGTH))
  let start = 0
  const segments = messages.map((message) => {
    const segment = { start, end: start + message.length }
    start = segment.end + 2
    return segment
  })
  return { text: Buffer.from(messages.join('\n\n')).toString(), segments, messages: [] }
}

const words = 'What would you answer to this customer? They have been waiting for two weeks. '
const documents: Readonly<Record<string, ScanDocument>> = {
  'prose, code and logs, ASCII': conversation(chatCorpus(TEXT_LENGTH, true, [])),
  'prose, code and logs, umlauts and emoji': conversation(chatCorpus(TEXT_LENGTH, false, [])),
  'base64 of random bytes': conversation(randomBytes((TEXT_LENGTH * 3) / 4).toString('base64')),
  'base64 of prose': conversation(Buffer.from(words.repeat(TEXT_LENGTH / 104)).toString('base64')),
}

for (const [name, document] of Object.entries(documents)) {
  const detectors = CHOICES.map((encodings) => {
    const settings: DetectionSettings = { builtins: FIVE_PATTERNS, encodings }
    return createDetector({ name: 'keys', settings, slices: { sliceMs: Number.POSITIVE_INFINITY } })
  })
  const best = detectors.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round++) {
    for (const [index, detector] of detectors.entries()) {
      const start = performance.now()
      await detector.detect(document, { signal })
      best[index] = Math.min(best[index] ?? 0, performance.now() - start)
    }
  }
  const bytes = Buffer.byteLength(document.text)
  const [plain = 1] = best
  console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB in messages of ${MESSAGE_LENGTH} characters`)
  for (const [index, ms] of best.entries()) {
    const label = CHOICES[index]?.join(' ') || 'as it stands'
    console.log(`  ${label.padEnd(36)} ${(bytes / 1000 / ms).toFixed(0).padStart(5)} MB/s  ${(ms / plain).toFixed(2)}x`)
  }
}

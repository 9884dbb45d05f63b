import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const TRAINING = new URL('../training/ner/data/', import.meta.url)
const HELD_OUT = new URL('../evaluation/ner/data/', import.meta.url)
const TEXTS = new URL('../evaluation/ner/texts.jsonl', import.meta.url)
const NAMES = ['first', 'last', 'cities', 'places', 'orgs', 'streets']
const SENTENCES = ['templates', 'plain']
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it']

interface LabelledText {
  readonly language: string
  readonly text: string
  readonly spans: readonly { readonly start: number; readonly end: number; readonly group: string }[]
}

const texts = readFileSync(TEXTS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as LabelledText)

/** Reads the entries of the wanted sections of all files of a folder. */
function readEntries(folder: URL, wanted: readonly string[], mark: string): string[] {
  return readdirSync(folder).flatMap((file) => {
    let section = ''
    return readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const heading = /^\[([a-z-]+)\]$/.exec(line)?.[1]
        if (heading !== undefined) section = heading
        return heading === undefined && wanted.includes(section) ? line.split(mark) : []
      })
  })
}

/** A name without its article, marks of letters and case. */
const toPlainName = (name: string): string =>
  name
    .trim()
    .replace(/^(?:(?:the|die|der|den|das|la|le|les|el|los|las|il|lo|gli|i) |l')(?=\S)/, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()

/** The words of a sentence around its slots. */
const toPlainSentence = (sentence: string): string =>
  sentence
    .toLowerCase()
    .replace(/[^\p{L}{}]+/gu, ' ')
    .trim()

/** Whether a text is a sentence: slots without words are not. */
const isSentence = (sentence: string): boolean => /\p{L}/u.test(sentence.replace(/\{\w+\}|\\n/g, ''))

describe('the lists of the evaluation', () => {
  const read = (folder: URL, sections: readonly string[], mark: string, toPlain: (text: string) => string) =>
    new Set(
      readEntries(folder, sections, mark)
        .map(toPlain)
        .filter((entry) => entry !== ''),
    )

  test('hold names and places of which none stands in a list of the training', () => {
    const trained = read(TRAINING, NAMES, ',', toPlainName)
    const heldOut = read(HELD_OUT, NAMES, ',', toPlainName)
    expect(trained.size).toBeGreaterThan(3000)
    expect(heldOut.size).toBeGreaterThan(700)
    expect([...heldOut].filter((name) => trained.has(name))).toEqual([])
  })

  test('hold sentences and formats of which none stands in a list of the training', () => {
    const composed = ['subjects', 'verbs', 'where', 'who', 'when', 'asides']
    const trained = read(TRAINING, SENTENCES, '\n', toPlainSentence)
    for (const part of read(TRAINING, composed, ';', toPlainSentence)) trained.add(part)
    const lines = readEntries(HELD_OUT, SENTENCES, '\n').filter(isSentence)
    expect(lines.length).toBeGreaterThan(180)
    expect(lines.filter((line) => trained.has(toPlainSentence(line)))).toEqual([])
  })
})

describe('the held-out texts', () => {
  test('are of five languages, with and without private text', () => {
    expect([...new Set(texts.map(({ language }) => language))].sort()).toEqual(LANGUAGES)
    expect(texts.filter(({ spans }) => spans.length === 0).length).toBeGreaterThan(texts.length / 10)
    const groups = new Set(texts.flatMap(({ spans }) => spans.map(({ group }) => group)))
    expect([...groups].sort()).toEqual(['DATE', 'LOC', 'ORG', 'PER', 'STREET_ADDRESS'])
  })

  test('hold no person and no place of the training', () => {
    const trained = new Set(readEntries(TRAINING, NAMES, ',').map(toPlainName))
    const labelled = texts.flatMap(({ text, spans }) => {
      const points = [...text]
      return spans
        .filter(({ group }) => group === 'PER' || group === 'LOC')
        .map(({ start, end }) => toPlainName(points.slice(start, end).join('')))
    })
    expect(labelled.length).toBeGreaterThan(1000)
    expect(labelled.filter((name) => trained.has(name))).toEqual([])
  })

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)('are what the committed program draws', () => {
    const drawn = spawnSync('python3', ['evaluation.py'], {
      cwd: fileURLToPath(new URL('../training/ner', import.meta.url)),
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, PYTHONHASHSEED: '5', PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect(drawn.stderr).toBe('')
    expect(drawn.stdout).toBe(readFileSync(TEXTS, 'utf8'))
  })
})

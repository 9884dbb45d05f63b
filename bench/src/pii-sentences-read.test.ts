import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KINDS } from './pii-sentences-kinds.ts'
import { OPTIONAL, readMarked, readSentences } from './pii-sentences-read.ts'

describe('readMarked', () => {
  it('takes the marks out and gives the places of the values', () => {
    const { text, labels } = readMarked('mail [[EMAIL|ada@lab.example]] or call [[PHONE!|555 0142]].')
    expect(text).toBe('mail ada@lab.example or call 555 0142.')
    expect(labels).toEqual([
      { kind: 'EMAIL', start: 5, end: 20, checked: true },
      { kind: 'PHONE', start: 29, end: 37, checked: false },
    ])
  })

  it('counts offsets in UTF-16 units and without the parting sign', () => {
    const { text, labels } = readMarked('😀 [[TOKEN|gh{+}p_1{+}2]]')
    expect(text).toBe('😀 ghp_12')
    expect(labels).toEqual([{ kind: 'TOKEN', start: 3, end: 9, checked: true }])
  })

  it('reads every escape', () => {
    expect(readMarked(String.raw`a\\b \@ \# \{+} \[[EMAIL|x\] \n\r\t\u{a0}\u{1f600}`).text).toBe(
      'a\\b @ # {+} [[EMAIL|x] \n\r\t\u00a0😀',
    )
  })

  it('takes an escaped bracket into a value', () => {
    const { text, labels } = readMarked(String.raw`[[PASSWORD|a\]]] b`)
    expect(text).toBe('a] b')
    expect(labels).toEqual([{ kind: 'PASSWORD', start: 0, end: 2, checked: true }])
  })

  it('leaves brackets of code as they are', () => {
    expect(readMarked('if [[ -f x ]]; then a[b[0]]; fi')).toEqual({
      text: 'if [[ -f x ]]; then a[b[0]]; fi',
      labels: [],
    })
  })

  it.each([
    ['[[EMAIL|a', 'EMAIL has no end'],
    ['[[EMAIL|]]', 'EMAIL is empty'],
    ['[[EMAIL|a [[PHONE|1]] ]]', 'PHONE begins inside of EMAIL'],
    [String.raw`C:\data`, 'a backslash stands before a sign that needs none'],
  ])('refuses %s', (marked, message) => {
    expect(() => readMarked(marked)).toThrow(message)
  })
})

describe('readSentences', () => {
  it('reads texts of several lines, without comments and without the empty lines between texts', () => {
    const file = '# about\n\n@en form\nName: [[EMAIL|a@b.example]]\n\n# not a comment\n\n@de log\nx\n'
    expect(readSentences(file)).toEqual([
      {
        language: 'en',
        genre: 'form',
        line: 3,
        text: 'Name: a@b.example\n\n# not a comment',
        labels: [{ kind: 'EMAIL', start: 6, end: 17, checked: true }],
      },
      { language: 'de', genre: 'log', line: 8, text: 'x', labels: [] },
    ])
  })

  it.each([
    ['a text\n@en mail\nx', 'line 1: a text needs a line "@language genre" before it'],
    ['@en mail\n\n@en mail\nx', 'line 1: the text is empty'],
    ['@en mail\nx\n@en mail\n[[EMAIL|x', 'line 3: EMAIL has no end'],
  ])('names the line of %j', (file, message) => {
    expect(() => readSentences(file)).toThrow(message)
  })
})

describe('the sentences', () => {
  const file = readFileSync(join(import.meta.dirname, 'pii-sentences.txt'), 'utf8')
  const sentences = readSentences(file)
  const isPlain = ({ labels }: (typeof sentences)[number]): boolean => labels.every(({ kind }) => kind === OPTIONAL)

  it('are 60 or more in each of six languages, each text once', () => {
    expect(sentences.length).toBeGreaterThanOrEqual(420)
    for (const language of ['en', 'de', 'fr', 'es', 'pt', 'zh']) {
      expect(sentences.filter((sentence) => sentence.language === language).length, language).toBeGreaterThanOrEqual(60)
    }
    expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length)
  })

  it('hold no private value in about a quarter', () => {
    const share = sentences.filter(isPlain).length / sentences.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.3)
  })

  it('have labels of known kinds, and three or more of each but private keys', () => {
    const labels = sentences.flatMap((sentence) => sentence.labels.map(({ kind }) => kind))
    expect(labels.filter((kind) => kind !== OPTIONAL && !(kind in KINDS))).toEqual([])
    for (const kind of Object.keys(KINDS)) {
      if (kind === 'PRIVATE_KEY') continue
      expect(labels.filter((label) => label === kind).length, kind).toBeGreaterThanOrEqual(3)
    }
  })

  it('have no label that begins or ends in a space', () => {
    const values = sentences.flatMap(({ text, labels }) => labels.map(({ start, end }) => text.slice(start, end)))
    expect(values.filter((value) => value !== value.trim())).toEqual([])
  })

  it('hold no token in one piece that a scanner of secrets would report', () => {
    const known =
      /AKIA|ASIA|gh[pousr]_|glpat-|sk-|sk_live|xox[bp]-|npm_|hf_|shpat_|SG\.|LTAI|eyJ|hooks\.slack|BEGIN [A-Z ]*KEY/
    expect(file.split('\n').filter((line) => known.test(line))).toEqual([])
    const tokens = file.match(/\[\[TOKEN\|[^\]]{24,}\]\]/g) ?? []
    expect(tokens.length).toBeGreaterThan(20)
  })
})

describe('the held-out sentences', () => {
  const file = readFileSync(join(import.meta.dirname, 'pii-sentences-held-out.txt'), 'utf8')
  const sentences = readSentences(file)

  it('are 60 or more in ten languages, each text once and none of the other list', () => {
    const others = readSentences(readFileSync(join(import.meta.dirname, 'pii-sentences.txt'), 'utf8'))
    const texts = new Set([...sentences, ...others].map(({ text }) => text))
    expect(sentences.length).toBeGreaterThanOrEqual(60)
    expect(new Set(sentences.map(({ language }) => language)).size).toBe(10)
    expect(texts.size).toBe(sentences.length + others.length)
  })

  it('have labels of known kinds', () => {
    const kinds = new Set(sentences.flatMap(({ labels }) => labels.map(({ kind }) => kind)))
    expect([...kinds].filter((kind) => !(kind in KINDS))).toEqual([])
  })
})

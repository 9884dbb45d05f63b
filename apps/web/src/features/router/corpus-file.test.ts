import { describe, expect, it } from 'vitest'
import { cutChunks, readCorpusFile } from './corpus-file.ts'

const KNOWN = ['code', 'talk']

describe('a file of labelled texts', () => {
  it('reads JSON lines', () => {
    const content =
      '{"text": "why does it crash", "labels": ["code"]}\r\n\n{"text": "hi", "labels": ["talk", "code"]}\n'
    expect(readCorpusFile(content, KNOWN)).toEqual({
      entries: [
        { text: 'why does it crash', labels: ['code'] },
        { text: 'hi', labels: ['talk', 'code'] },
      ],
      problems: [],
    })
  })

  it('reads the body of a request to the API, and names the lines of its problems', () => {
    const content = `{
  "entries": [
    {"text": "why does it crash", "labels": ["code"]},
    {"text": "hi", "labels": ["talk", "law"]},
    { "labels": ["code"], "text": "hi" },
    7
  ]
}
`
    expect(readCorpusFile(content, KNOWN)).toEqual({
      entries: [
        { text: 'why does it crash', labels: ['code'] },
        { text: 'hi', labels: ['code'] },
      ],
      problems: [
        { line: 4, problem: 'unknown-label', value: 'law' },
        { line: 6, problem: 'not-json' },
      ],
    })
    expect(readCorpusFile('{"entries": []}', KNOWN)).toEqual({ entries: [], problems: [] })
  })

  it('reads CSV with a head in any order of columns, quoted cells and several labels', () => {
    const content = 'labels,text\r\ncode;talk,"say ""hi"", then\nstop"\r\ntalk,hello\r\n'
    expect(readCorpusFile(content, KNOWN)).toEqual({
      entries: [
        { text: 'say "hi", then\nstop', labels: ['code', 'talk'] },
        { text: 'hello', labels: ['talk'] },
      ],
      problems: [],
    })
  })

  it('takes the first two columns of CSV without a head', () => {
    expect(readCorpusFile('hello,talk', KNOWN).entries).toEqual([{ text: 'hello', labels: ['talk'] }])
  })

  it('names the line of every problem and keeps the rest', () => {
    const lines = [
      '{"text": "a", "labels": ["code"]}',
      '{"text": "a", "labels": ["talk"]}',
      '{"text": "b", "labels": ["law"]}',
      '{"text": "c", "labels": ["code", "code"]}',
      '{"text": "d", "labels": [""]}',
      '{"text": "e", "labels": []}',
      '{"text": " ", "labels": ["code"]}',
      '{"text": "broken',
      '{"text": "f", "labels": ["talk"]}',
    ]
    const { entries, problems } = readCorpusFile(lines.join('\n'), KNOWN)
    expect(entries.map(({ text }) => text)).toEqual(['a', 'f'])
    expect(problems).toEqual([
      { line: 2, problem: 'repeated-text' },
      { line: 3, problem: 'unknown-label', value: 'law' },
      { line: 4, problem: 'repeated-label', value: 'code' },
      { line: 5, problem: 'empty-label' },
      { line: 6, problem: 'no-label' },
      { line: 7, problem: 'no-text' },
      { line: 8, problem: 'not-json' },
    ])
  })

  it('names the line of a CSV row behind one that spans lines', () => {
    const { problems } = readCorpusFile('text,labels\n"two\nlines",code\nhello,law\n', KNOWN)
    expect(problems).toEqual([{ line: 4, problem: 'unknown-label', value: 'law' }])
  })

  it('cuts entries into requests without losing any', () => {
    const entries = Array.from({ length: 1201 }, (_, index) => ({ text: String(index), labels: ['code'] }))
    const chunks = cutChunks(entries)
    expect(chunks.map(({ length }) => length)).toEqual([500, 500, 201])
    expect(chunks.flat()).toEqual(entries)
    expect(cutChunks([])).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { createDocumentReader } from './read-in-process.ts'
import { readOutput } from './reader-output.ts'

const bytes = Buffer.from(String.raw`{\rtf1 Grüße \par one}`, 'latin1')
const never = new AbortController().signal

describe('a document in a process of its own', () => {
  it('is read, or refused with the reason of its reader', async () => {
    const reader = createDocumentReader()
    expect(await reader.read(bytes, { type: 'rtf', signal: never })).toBe('Grüße \n\none')
    await expect(reader.read(bytes, { type: 'docx', signal: never })).rejects.toMatchObject({
      name: 'DocumentError',
      code: 'invalid_document',
      message: 'the document is damaged: its end is missing',
    })
    await reader.close()
    await expect(reader.read(bytes, { type: 'rtf', signal: never })).rejects.toMatchObject({ kind: 'unavailable' })
  })

  // verifies files:type:confined
  it('is ended at its limits of memory, time and text, and by its signal', async () => {
    const limited = (limits: Parameters<typeof createDocumentReader>[0]) =>
      createDocumentReader(limits).read(bytes, { type: 'rtf', signal: never })
    await Promise.all([
      expect(limited({ maxMemoryBytes: 1024 })).rejects.toMatchObject({ message: /too much memory/ }),
      expect(limited({ maxMs: 1 })).rejects.toMatchObject({ code: 'document_limit', message: /0.001 s/ }),
      expect(limited({ maxTextBytes: 3 })).rejects.toMatchObject({ message: 'the text has more than 3 bytes' }),
    ])
    const leaving = new AbortController()
    const reading = createDocumentReader().read(bytes, { type: 'rtf', signal: leaving.signal })
    leaving.abort(new Error('gone'))
    await expect(reading).rejects.toThrow('gone')
  })

  it('has no half text when it is killed in the middle of its reply', () => {
    const output = Buffer.from('{"ok":true,"textBytes":7}\nGr\u00fc\u00dfe')
    const read = (length: number, note = '') => readOutput(output.subarray(0, length), note, { maxMs: 1000 })
    expect(read(output.length)).toBe('Gr\u00fc\u00dfe')
    for (const cut of [0, 5, 26, output.length - 1]) expect(() => read(cut), String(cut)).toThrow('ends its reader')
    expect(() => read(30, 'memory')).toThrow('too much memory')
    expect(() => read(30, 'time')).toThrow('takes more than 1 s')
  })
})

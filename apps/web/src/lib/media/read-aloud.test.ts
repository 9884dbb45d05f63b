// @vitest-environment jsdom
import { eventually } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReader, toSpokenPieces } from './read-aloud.ts'

describe('stretches to speak', () => {
  it('leave out code and the signs of Markdown', () => {
    const text = '# Title\n\nSay **hello** to [Ann](http://x.example).\n\n```js\nlet a = 1\n```\n\nAnd `b`.'
    expect(toSpokenPieces(text).join(' ')).toBe('Title\n\nSay hello to Ann.\n\nAnd b.')
    expect(toSpokenPieces('```\nnever closed')).toEqual([])
    for (const hostile of ['\n', '-\n', '# \n']) expect(toSpokenPieces(hostile.repeat(100_000))).toEqual([])
    expect(toSpokenPieces(' … \n***\n')).toEqual([])
  })

  it('end with sentences, and keep every word once', () => {
    const sentences = Array.from({ length: 40 }, (_, index) => `This is sentence number ${index}.`)
    const pieces = toSpokenPieces(sentences.join(' '))
    expect(pieces.length).toBeGreaterThan(3)
    for (const piece of pieces) expect(piece).toMatch(/^This.{1,299}\.$/)
    expect(pieces.join(' ')).toBe(sentences.join(' '))
  })

  it('are cut between words where no sentence ends', () => {
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')
    const pieces = toSpokenPieces(words)
    expect(pieces.every(({ length }) => length <= 300)).toBe(true)
    expect(pieces.join(' ')).toBe(words)
    expect(toSpokenPieces('字'.repeat(700)).map(({ length }) => length)).toEqual([300, 300, 100])
  })
})

describe('reading aloud', () => {
  const made = new Set<string>()
  beforeEach(() => {
    let count = 0
    URL.createObjectURL = () => {
      count += 1
      made.add(`blob:${count}`)
      return `blob:${count}`
    }
    URL.revokeObjectURL = (url) => void made.delete(url)
  })
  afterEach(() => made.clear())

  const TEXT = `${'One. '.repeat(60)}${'Two. '.repeat(60)}`

  function create() {
    const player = {
      play: vi.fn(async () => {}),
      pause: vi.fn(),
      src: '',
      onended: null,
      onerror: null,
    } as unknown as {
      play: () => Promise<void>
      pause: ReturnType<typeof vi.fn>
      src: string
      onended: ((event?: unknown) => void) | null
      onerror: ((event?: unknown) => void) | null
    }
    const asked: { readonly input: string; readonly signal: AbortSignal }[] = []
    let speak = async () => new Blob(['x'], { type: 'audio/wav' })
    const reader = createReader({
      createPlayer: () => player as unknown as HTMLAudioElement,
      speak: (body, signal) => {
        asked.push({ input: String(body.input), signal })
        return speak()
      },
    })
    return {
      reader,
      player,
      asked,
      failWith: (error: Error) => {
        speak = async () => {
          throw error
        }
      },
    }
  }
  const heard = (player: { onended: unknown }) => eventually(() => expect(player.onended).not.toBeNull())

  it('asks for the next stretch while one is heard, and falls silent at the end', async () => {
    const { reader, player, asked } = create()
    const read = reader.start('a', TEXT, { model: 'm' })
    expect(reader.reading.get()).toEqual({ phase: 'waiting', id: 'a' })
    await heard(player)
    expect(reader.reading.get()).toEqual({ phase: 'speaking', id: 'a' })
    expect(asked).toHaveLength(2)
    while (reader.reading.get().phase !== 'silent') {
      player.onended?.()
      await Promise.resolve()
    }
    await read
    expect(asked.map(({ input }) => input)).toEqual(toSpokenPieces(TEXT))
    expect(made.size).toBe(0)
  })

  it('ends its requests and the sound when it is stopped, or reads something else', async () => {
    const { reader, player, asked } = create()
    const first = reader.start('a', TEXT, { model: 'm' })
    await heard(player)
    const second = reader.start('b', 'Other.', { model: 'm' })
    await first
    expect(asked.slice(0, 2).map(({ signal }) => signal.aborted)).toEqual([true, true])
    expect(reader.reading.get()).toMatchObject({ id: 'b' })
    await heard(player)
    reader.stop()
    await second
    expect([reader.reading.get().phase, made.size, player.onended]).toEqual(['silent', 0, null])
  })

  it('tells a failure, and a sound that cannot be played', async () => {
    const refused = create()
    refused.failWith(new Error('no voice'))
    await refused.reader.start('a', 'Hello.', { model: 'm' })
    expect(refused.reader.reading.get()).toMatchObject({ phase: 'failed', id: 'a', error: { message: 'no voice' } })

    const { reader, player } = create()
    const read = reader.start('a', 'Hello.', { model: 'm' })
    await heard(player)
    player.onerror?.()
    await read
    expect(reader.reading.get()).toMatchObject({
      phase: 'failed',
      error: { message: 'The browser cannot play audio/wav.' },
    })
    expect(made.size).toBe(0)
  })
})

import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type PumpOptions, pump } from './pump.ts'

/** Pumps bytes that the test writes into a writable that takes as many bytes as the test allows. */
function start(options: Partial<PumpOptions> = {}, from: Readable = new PassThrough()) {
  const noted: unknown[] = []
  const written: string[] = []
  const waiting: (() => void)[] = []
  const to = new Writable({
    highWaterMark: 4,
    write(bytes, _encoding, callback) {
      written.push(String(bytes))
      waiting.push(callback)
    },
  })
  const stop = pump(from, to, {
    onBytes: (count) => noted.push(count),
    onEnd: () => noted.push('end'),
    onFail: (error) => noted.push(error instanceof Error ? error.message : error),
    ...options,
  })
  const takeAll = async () => {
    for (let take = waiting.shift(); take !== undefined; take = waiting.shift()) {
      take()
      await new Promise(setImmediate)
    }
  }
  const countListeners = () =>
    [from, from, to].map((stream, index) => stream.listenerCount(['data', 'pause', 'drain'][index] ?? ''))
  return { from: from as PassThrough, to, noted, written, takeAll, stop, countListeners }
}

const turn = () => new Promise(setImmediate)

describe('bytes', () => {
  it('go on as they come, are counted, and end without ending the other side', async () => {
    const { from, to, noted, written, takeAll, countListeners } = start()
    from.write('abc')
    await turn()
    from.end('de')
    await turn()
    await takeAll()
    await turn()
    expect([written, noted.filter((note) => note !== 0)]).toEqual([
      ['abc', 'de'],
      [3, 2, 'end'],
    ])
    expect([to.writableEnded, countListeners()]).toEqual([false, [0, 0, 0]])
  })

  it('come no faster than they are taken, and a wait that is over counts as a sign of life', async () => {
    const { from, noted, written, takeAll } = start()
    from.write('abcdef')
    await turn()
    from.write('gh')
    await turn()
    expect([written, noted, from.isPaused()]).toEqual([['abcdef'], [6], true])
    await takeAll()
    await turn()
    expect([written, noted, from.isPaused()]).toEqual([['abcdef', 'gh'], [6, 0, 2], false])
  })

  it('are changed on the way, with the rest behind the last of them', async () => {
    const change = {
      push: (bytes: Uint8Array) => [Buffer.from('<'), Buffer.from(String(bytes).toUpperCase())],
      end: () => [Buffer.from('.')],
    }
    const { from, noted, written, takeAll } = start({ change })
    from.end('a')
    await turn()
    await takeAll()
    await turn()
    expect([written, noted.filter((note) => note !== 0)]).toEqual([
      ['<', 'A', '.'],
      [1, 'end'],
    ])
  })

  it.each(['push', 'end'] as const)('whose change fails in %s are a failure, told once', async (method) => {
    const change = { push: () => [], end: () => [] }
    const fail = () => {
      throw new Error('broken')
    }
    const { from, noted, countListeners } = start({ change: { ...change, [method]: fail } })
    from.write('a')
    await turn()
    from.end('b')
    await turn()
    expect(noted.filter((note) => typeof note === 'string')).toEqual(['broken'])
    expect(countListeners()).toEqual([0, 0, 0])
  })
})

describe('the end', () => {
  it('of a stream that ended before is told, but not at once', async () => {
    const ended = Readable.from([])
    ended.resume()
    await once(ended, 'end')
    const { noted } = start({}, ended)
    expect(noted).toEqual([])
    await turn()
    expect(noted).toEqual(['end'])
  })

  it.each([
    ['an error', new Error('reset'), 'reset'],
    ['a close', undefined, 'closed before its end'],
  ])('by %s is a failure, told once', async (_name, error, message) => {
    const { from, noted, countListeners } = start()
    from.destroy(error)
    await turn()
    expect([noted, countListeners()]).toEqual([[message], [0, 0, 0]])
  })

  it('does not come once the pump was stopped', async () => {
    const { from, noted, written, stop, countListeners } = start()
    stop()
    from.end('a')
    from.resume()
    await once(from, 'close')
    expect([noted, written, countListeners()]).toEqual([[], [], [0, 0, 0]])
  })
})

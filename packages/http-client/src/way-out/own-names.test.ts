import type { LookupFunction } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOwnNames, pinAddresses } from './own-names.ts'

type Answer = Parameters<LookupFunction>[2]

const { signal } = new AbortController()

describe('the names of this machine', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A resolver that a test answers. */
  function open() {
    const asked: { readonly host: string; readonly answer: Answer }[] = []
    const find = createOwnNames((host, _options, answer) => void asked.push({ host, answer }))
    return { asked, find }
  }

  it('are looked up once for all who ask at the same time, and again later', async () => {
    const { asked, find } = open()
    const finding = [find('a', { signal }), find('a', { signal })]
    expect(asked.map(({ host }) => host)).toEqual(['a'])
    asked[0]?.answer(null, [{ address: '::1', family: 6 }])
    expect(await Promise.all(finding)).toEqual([[{ address: '::1', family: 6 }], [{ address: '::1', family: 6 }]])
    const again = find('a', { signal })
    asked[1]?.answer(null, '127.0.0.1', 4)
    expect(await again).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  it('are asked for again where the resolver answers at once', async () => {
    let answer = '127.0.0.1'
    const find = createOwnNames((_host, _options, callback) => callback(null, answer, 4))
    expect(await find('a', { signal })).toHaveLength(1)
    answer = '10.0.0.1'
    expect(await find('a', { signal })).toEqual([])
  })

  it('are given up after two seconds, and not asked for again before the resolver answers', async () => {
    const { asked, find } = open()
    const finding = find('a', { signal })
    await vi.advanceTimersByTimeAsync(2000)
    expect(await finding).toEqual([])
    expect(await find('a', { signal })).toEqual([])
    expect(asked).toHaveLength(1)
    asked[0]?.answer(new Error('nothing'), '')
    void find('a', { signal })
    expect(asked).toHaveLength(2)
  })

  it('are looked up a bounded number at a time', async () => {
    const { asked, find } = open()
    for (let index = 0; index < 256; index += 1) void find(`n${index}`, new AbortController())
    expect(await find('one more', { signal })).toEqual([])
    expect(asked).toHaveLength(256)
  })

  it('are left by a caller who leaves, while others wait on', async () => {
    const { asked, find } = open()
    const leaving = new AbortController()
    const left = find('a', leaving)
    const other = find('a', { signal })
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    await expect(find('a', leaving)).rejects.toThrow('left')
    asked[0]?.answer(null, [{ address: '127.0.0.1', family: 4 }])
    expect(await other).toHaveLength(1)
  })
})

it('pinned addresses are given in both forms', async () => {
  const lookup = pinAddresses([{ address: '127.0.0.2', family: 4 }])
  const ask = (all: boolean) => new Promise((resolve) => lookup('a', { all }, (_error, found) => resolve(found)))
  expect(await ask(true)).toEqual([{ address: '127.0.0.2', family: 4 }])
  expect(await ask(false)).toBe('127.0.0.2')
})

import { eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createAddressBook } from './address-book.ts'
import { createExchangeLimit } from './exchange-limit.ts'
import { createMembers, type Member } from './members.ts'
import { createReach } from './reach.ts'
import { createSearch } from './search.ts'

const RECORD = { name: 'x', services: ['worker'], addresses: [], others: [] } as const
const name = (index: number): string => `/dns4/host-${index}/tcp/1`

it('keeps few addresses of each member, so that nobody pushes out those of others', () => {
  const book = createAddressBook(['/ip4/192.0.2.1/tcp/1'])
  book.tell('quiet', ['/ip4/192.0.2.2/tcp/1'])
  for (let turn = 0; turn < 50; turn += 1)
    book.tell(
      'loud',
      Array.from({ length: 72 }, (_, index) => name(turn * 100 + index)),
    )
  const list = book.list(0)
  expect(list).toHaveLength(34)
  expect(list).toEqual(expect.arrayContaining(['/ip4/192.0.2.1/tcp/1', '/ip4/192.0.2.2/tcp/1']))
})

it('forgets an address that fails again and again, for an hour, and never one that was given', () => {
  const given = name(0)
  const book = createAddressBook([given])
  book.tell('a', [name(1), name(2)])
  for (let turn = 0; turn < 3; turn += 1) {
    expect(book.list(turn)).toContain(name(1))
    for (const address of [given, name(1)]) book.note(address, false, turn)
    book.note(name(2), turn === 1, turn)
  }
  book.tell('b', [name(1)])
  expect(book.list(3)).toEqual([given, name(2)])
  expect(book.list(3_600_010)).toContain(name(1))
})

it('tries addresses beside its caller, eight at the same time, each for a limited time', async () => {
  let most = 0
  let running = 0
  const tried: string[] = []
  const closing = new AbortController()
  const node = {
    id: 'own',
    connected: () => ['there'],
    async join(_: string, { signal }: { readonly signal: AbortSignal }) {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      running -= 1
      return false
    },
  }
  const onTried = (address: string): void => void tried.push(address)
  const search = createSearch({ node, onTried, tryMs: 1, signal: closing.signal })
  const silent = Array.from({ length: 30 }, (_, index) => name(index))
  search.look([...silent, ...silent, '/ip4/192.0.2.1/tcp/1/p2p/own', '/ip4/192.0.2.1/tcp/1/p2p/there'])
  expect(running).toBe(8)
  await eventually(() => expect(tried.toSorted()).toEqual(silent.toSorted()))
  expect(most).toBe(8)
  closing.abort()
  search.look(silent)
  expect(running).toBe(0)
})

it('takes few exchanges of a member, and few at the same time', () => {
  const limit = createExchangeLimit()
  const ends = [limit.begin('a', 0), limit.begin('a', 0)]
  expect(limit.begin('a', 0)).toBeUndefined()
  for (const end of ends) end?.()
  for (let turn = 0; turn < 98; turn += 1) limit.begin('a', 0)?.()
  expect(limit.begin('a', 9_999)).toBeUndefined()
  expect(limit.begin('b', 9_999)).toBeDefined()
  expect(limit.begin('a', 10_000)).toBeDefined()
  const all = Array.from({ length: 100 }, (_, index) => limit.begin(`c${index}`, 10_000))
  expect(all.filter((end) => end !== undefined)).toHaveLength(62)
})

it('lets the member that is away the longest make room, and nobody who is there', () => {
  const forgotten: string[] = []
  const members = createMembers({ onForget: ({ id }) => void forgotten.push(id) })
  for (let index = 0; index < 256; index += 1) members.see(`m${index}`, RECORD, index)
  expect(members.see('late', RECORD, 300)).toBeUndefined()
  expect(members.see('late', RECORD, 50_000)).toBeDefined()
  expect(forgotten).toEqual(['m0'])
  expect(members.list()).toHaveLength(256)
})

it('opens a bounded number of ports, and uses those that are given back', async () => {
  const closing = new AbortController()
  const node = { dial: async () => Promise.reject(new Error('nobody calls')) }
  const reach = createReach({ wants: ['worker'] }, { node, signal: closing.signal })
  const all = Array.from({ length: 70 }, (_, index): Member => {
    return { id: `m${index}`, record: RECORD, lastSeenAt: 0, tunnels: new Map() }
  })
  for (const member of all) await reach.open(member)
  const withPort = all.filter(({ tunnels }) => tunnels.size > 0)
  expect(withPort).toHaveLength(64)
  const [first, last] = [all[0] as Member, all[69] as Member]
  reach.leave(first)
  await reach.open(last)
  expect([first.tunnels.size, last.tunnels.size]).toEqual([0, 1])
  for (const member of all) reach.leave(member)
})

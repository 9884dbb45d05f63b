// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChangeReader } from './follow-changes.ts'

const { signal } = new AbortController()
const SERVER_NOW = Date.parse('2026-11-28T10:00:00Z')
let events: { id: string; change: string; created_at: string }[]
let asked: URL[]

beforeEach(() => {
  events = []
  asked = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url)
    asked.push(url)
    const since = url.searchParams.get('since')
    const found = events.filter(({ created_at: at }) => since === null || at >= since)
    return new Response(JSON.stringify({ events: found }), {
      headers: { 'content-type': 'application/json', date: new Date(SERVER_NOW).toUTCString() },
    })
  })
})
afterEach(() => vi.unstubAllGlobals())

/** Adds a change, as the newest one. */
function add(change: string, agoMs: number): void {
  events.unshift({ id: `${change}-${events.length}`, change, created_at: new Date(SERVER_NOW - agoMs).toISOString() })
}

it('tells of each change once, and asks for what came since', async () => {
  const reader = new ChangeReader(Date.now())
  add('user.role', 60_000)
  expect(await reader.read(signal)).toEqual([])
  expect(await reader.read(signal)).toEqual([])
  add('setting.change', 0)
  add('model.edit', 0)
  expect(await reader.read(signal)).toEqual(['model.edit', 'setting.change'])
  // another one of the same moment
  add('model.edit', 0)
  expect(await reader.read(signal)).toEqual(['model.edit'])
  expect(await reader.read(signal)).toEqual([])
  expect(asked[0]?.searchParams.get('since')).toBeNull()
  expect(asked.at(-1)?.searchParams.get('since')).toBe(new Date(SERVER_NOW).toISOString())
  expect(asked[0]?.searchParams.get('kind')).toBe('administration,account')
})

it('tells of changes from the time between the first fetch of a page and the first question', async () => {
  const reader = new ChangeReader(Date.now() - 3_000)
  add('user.role', 10_000)
  add('setting.change', 2_000)
  expect(await reader.read(signal)).toEqual(['setting.change'])
})

it('tells of the first change of a server', async () => {
  const reader = new ChangeReader(Date.now())
  expect(await reader.read(signal)).toEqual([])
  add('model.load', 0)
  expect(await reader.read(signal)).toEqual(['model.load'])
})

it('tells of a change after a question that failed', async () => {
  const reader = new ChangeReader(Date.now())
  await reader.read(signal)
  vi.stubGlobal('fetch', async () => new Response('{"error":"down"}', { status: 503 }))
  await expect(reader.read(signal)).rejects.toThrow('down')
  vi.stubGlobal('fetch', async () => Response.json({ events: [{ id: '1', change: 'key.create', created_at: 'x' }] }))
  expect(await reader.read(signal)).toEqual(['key.create'])
})

import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../db/__fixtures__/places.ts'
import type { AuditEvent, AuditSink } from './audit-event.ts'
import { type AdministrationChange, createChangeLog } from './changes.ts'

const CHANGE: AdministrationChange = {
  kind: 'administration',
  origin: 'api',
  change: 'user.role',
  correlationId: 'c',
  userId: 'root',
  actor: 'root@site.example',
  via: 'session',
  address: '192.0.2.7',
}

function createWorld(flush: AuditSink['flush'] = async () => undefined) {
  const events: AuditEvent[] = []
  const audit: AuditSink = {
    record(recorded) {
      events.push(...recorded)
      return recorded.map(() => 'id')
    },
    flush,
  }
  const clock = createFakeClock()
  const changes = createChangeLog({ audit, clock, logger: silentLogger })
  const readFacts = async (change: Partial<AdministrationChange>) => {
    await changes.record({ ...CHANGE, ...change })
    const last = events.at(-1)
    return last !== undefined && 'facts' in last ? last.facts : undefined
  }
  return { events, changes, clock, readFacts }
}

describe('a change', () => {
  it('is recorded with its facts, and those that are missing are left out', async () => {
    const { readFacts, events } = createWorld()
    expect(await readFacts({})).toEqual({ outcome: 'done' })
    expect(await readFacts({ target: 'id', name: 'ada@site.example', details: 'admin', failed: true })).toEqual({
      target: 'id',
      target_name: 'ada@site.example',
      details: 'admin',
      outcome: 'failed',
    })
    expect(events.at(-1)).toMatchObject({ kind: 'administration', change: 'user.role', address: '192.0.2.7' })
  })

  it.each([
    ['a\u001b[31mb', 'a\ufffd[31mb'],
    ['line\r\nbreak', 'line\ufffd\ufffdbreak'],
    ['a\u202eb', 'a\ufffdb'],
    ['a\u200bb', 'a\ufffdb'],
    ['a\u2028b', 'a\ufffdb'],
    ['a\ud800b', 'a\ufffdb'],
    ['\u0000', '\ufffd'],
    ['Zoë 日本', 'Zoë 日本'],
  ])('shows %j safely', async (text, shown) => {
    const { readFacts } = createWorld()
    expect(await readFacts({ target: text, name: text, details: text })).toMatchObject({
      target: shown,
      target_name: shown,
      details: shown,
    })
  })

  it('is cut where it is long', async () => {
    const { readFacts, events } = createWorld()
    const facts = await readFacts({ target: 'x'.repeat(5000), details: 'y'.repeat(5000), actor: 'z'.repeat(5000) })
    expect([String(facts?.target).length, String(facts?.details).length]).toEqual([200, 500])
    expect(events.at(-1)).toMatchObject({ actor: `${'z'.repeat(199)}…` })
  })

  it('keeps its reply waiting for a second at most, while the database hangs', async () => {
    const { changes, clock, events } = createWorld(() => new Promise(() => undefined))
    let isDone = false
    const recording = changes.record(CHANGE).then(() => {
      isDone = true
    })
    await clock.waitForSleepers(1)
    await clock.advance(999)
    expect([isDone, events.length]).toEqual([false, 1])
    await clock.advance(1)
    await recording
  })

  it('fails nothing where the database is away', async () => {
    const { changes, clock, events } = createWorld(() => Promise.reject(new Error('away')))
    await changes.record(CHANGE)
    expect(events).toHaveLength(1)
    await expect(clock.waitForSleepers(0)).resolves.toBeUndefined()
  })
})

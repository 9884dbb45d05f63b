import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { INITIALIZE, MESSAGE_HEADERS } from '../../../test/support/mcp-client.ts'
import { createCallerTools } from '../../assistant/caller-tools.ts'
import { createMcpServer } from '../../assistant/mcp-server.ts'
import { defineTool } from '../../assistant/tool.ts'
import { systemClock } from '../../clock.ts'
import { quietLogger } from '../../logging/quiet-logger.ts'
import { SESSION_LIMITS } from './limits.ts'
import { createSessions, type Session, type SessionLimits } from './sessions.ts'

const AUTH = { token: '', clientId: 'c', scopes: [] }

function createWorld(limits: Partial<SessionLimits> = {}) {
  let now = 0
  const started = createDeferred<AbortSignal>()
  const slow = defineTool({
    name: 'slow',
    title: 'Slow',
    description: 'Waits until it is aborted.',
    routes: ['GET /version'],
    run: (_, { signal }) => {
      started.resolve(signal)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const request = async () => ({ status: 200, json: {}, text: '{}', isCut: false })
  const tools = createCallerTools({
    tools: [slow],
    api: { isAdmin: true, allows: () => true, request },
    mayWrite: () => true,
    clock: systemClock,
  })
  const sessions = createSessions({
    limits: { ...SESSION_LIMITS, ...limits },
    createServer: () => createMcpServer({ version: '1', maxRunning: 2, toolsOf: () => tools }),
    clock: { monotonic: () => now },
    logger: quietLogger,
  })
  const open = async (caller: string, key?: string): Promise<{ readonly id: string; readonly session: Session }> => {
    const session = await sessions.open(own(caller, key), '2025-11-25')
    const response = await session.handle(toMessage(INITIALIZE))
    await response.text()
    return { id: response.headers.get('mcp-session-id') ?? '', session }
  }
  return {
    sessions,
    started,
    open,
    pass: (ms: number) => {
      now += ms
    },
  }
}

function toMessage(body: object, id?: string) {
  const headers = { ...MESSAGE_HEADERS, ...(id === undefined ? {} : { 'mcp-session-id': id }) }
  return { request: new Request('http://localhost/mcp', { method: 'POST', headers }), body, authInfo: AUTH }
}

const own = (caller: string, key = '') => ({ caller, credential: `${caller} ${key}` })

const callSlow = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow', arguments: {} } })

describe('sessions', () => {
  it('end with their tools', async () => {
    const { sessions, open, started } = createWorld()
    const { id, session } = await open('a')
    const running = await session.handle(toMessage(callSlow(2), id))
    const signal = await started.promise
    expect(signal.aborted).toBe(false)
    sessions.closeAll()
    expect(signal.aborted).toBe(true)
    expect(await running.text()).not.toContain('"result"')
    expect([sessions.count, sessions.find(id, own('a'))]).toEqual([0, undefined])
  })

  it('end a tool that their client cancels, and run only so many at once', async () => {
    const { open, started } = createWorld()
    const { id, session } = await open('a')
    await session.handle(toMessage(callSlow(2), id))
    await session.handle(toMessage(callSlow(3), id))
    const third = await session.handle(toMessage(callSlow(4), id))
    expect(await third.text()).toContain('too many tools run in this session')
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    expect((await session.handle(toMessage(cancel, id))).status).toBe(202)
    expect((await started.promise).aborted).toBe(true)
  })

  it('are those of their owner alone', async () => {
    const { sessions, open } = createWorld()
    const { id } = await open('a')
    expect([sessions.find(id, own('a')) === undefined, sessions.find(id, own('b')) === undefined]).toEqual([
      false,
      true,
    ])
  })

  it('are hidden from another key of their caller, and count for all keys together', async () => {
    const { sessions, open, pass } = createWorld({ maxSessionsOfOwner: 2 })
    const first = await open('a', 'k1')
    expect(sessions.find(first.id, own('a', 'k2'))).toBeUndefined()
    for (const key of ['k2', 'k3', 'k4']) {
      pass(1)
      await open('a', key)
    }
    expect(sessions.count).toBe(2)
    expect(sessions.find(first.id, own('a', 'k1'))).toBeUndefined()
  })

  it('give way where they are unused, and are refused where all are in use', async () => {
    const { sessions, open, pass } = createWorld({ maxSessions: 3, maxSessionsOfOwner: 2 })
    const first = await open('a')
    pass(1)
    const second = await open('a')
    await open('b')
    const leave = first.session.use()
    await open('a')
    // The second was unused.
    expect([sessions.find(first.id, own('a')) === undefined, sessions.find(second.id, own('a')) === undefined]).toEqual(
      [false, true],
    )
    await open('c')
    expect(sessions.count).toBe(3)
    leave()
    pass(SESSION_LIMITS.idleMs + 1)
    await open('a')
    expect(sessions.count).toBe(1)
  })

  it('opened at the same time are bounded, and one that nobody initializes is gone', async () => {
    const { sessions } = createWorld({ maxSessionsOfOwner: 2 })
    const opening = [1, 2, 3].map(async () => {
      const session = await sessions.open(own('a'), '2025-11-25')
      const leave = session.use()
      try {
        return (await session.handle(toMessage(INITIALIZE))).status
      } finally {
        leave()
      }
    })
    const opened = await Promise.allSettled(opening)
    expect(opened).toMatchObject([{ value: 200 }, { value: 200 }, { reason: { kind: 'rate_limited' } }])
    expect(sessions.count).toBe(2)
    const session = await sessions.open(own('b'), '2025-11-25')
    const refused = { ...toMessage(INITIALIZE), request: new Request('http://localhost/mcp', { method: 'POST' }) }
    expect((await session.handle(refused)).status).toBe(406)
    expect(sessions.count).toBe(2)
  })

  it('refuse one more where every one is in use', async () => {
    const { open } = createWorld({ maxSessions: 1 })
    const { session } = await open('a')
    const leave = session.use()
    await expect(open('b')).rejects.toMatchObject({ kind: 'rate_limited', code: 'too_many_sessions' })
    leave()
    leave()
    await open('b')
  })
})

import type { Authentication, Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { toPerson } from '../../test/support/people.ts'
import type { ServerReply } from './messages.ts'
import { ANONYMOUS } from './middleware/authenticate.ts'
import { type Reauthorization, RunningCall, RunningCalls } from './running-calls.ts'

const reason = new SvcError('unavailable', 'the server is stopping')

describe('a running call', () => {
  it('tells whoever listens that it is ended, once, by either signal', () => {
    const call = new RunningCall()
    const told: string[] = []
    const gone = (): void => void told.push('gone')
    call.addEventListener('abort', () => told.push('function'))
    call.addEventListener('abort', { handleEvent: () => told.push('object') })
    call.addEventListener('abort', gone)
    call.removeEventListener('abort', gone)
    call.signal.addEventListener('abort', () => told.push('signal'))
    call.throwIfAborted()
    call.end(reason)
    call.end(new SvcError('cancelled', 'again'))
    expect(told.sort()).toEqual(['function', 'object', 'signal'])
    expect([call.aborted, call.reason, call.signal.reason]).toEqual([true, reason, reason])
    expect(() => call.throwIfAborted()).toThrow(reason)
  })

  it('has an aborted signal when that is asked for after its end', () => {
    const call = new RunningCall()
    call.end(reason)
    expect([call.signal.aborted, call.signal.reason]).toEqual([true, reason])
  })
})

it('ends the calls that are under way, and none that has gone', () => {
  const calls = new RunningCalls()
  const [first, second, third] = [new RunningCall(), new RunningCall(), new RunningCall()]
  for (const call of [first, second, third]) calls.add(call)
  calls.delete(first)
  calls.delete(first)
  calls.endAll(reason)
  expect([first, second, third].map((call) => call.reason)).toEqual([undefined, reason, reason])
  calls.delete(third)
  calls.delete(second)
  calls.endAll(reason)
  expect([second.place, third.place]).toEqual([-1, -1])
})

describe('a look at the callers of calls', () => {
  const route = { method: 'POST', path: '/x', access: 'any', family: 'compatible', tag: '', summary: '' } as const
  const IN_TIME = { usecase: 'chat', headersSent: false }

  function start(
    rights: Partial<Principal> = {},
    { usecase, headersSent }: { usecase?: string | undefined; headersSent: boolean } = IN_TIME,
  ) {
    const calls = new RunningCalls()
    const call = new RunningCall()
    const admitted = {
      route: { ...route, usecase },
      matched: { pattern: '/x', path: '/x' },
      authentication: toPerson('ada', rights),
      clientAddress: '192.0.2.1',
      outgoing: { headersSent } as ServerReply,
    }
    call.admitted = admitted
    calls.add(call)
    const look = (found: Authentication | Error, changes: Partial<Reauthorization> = {}) =>
      calls.reauthorizeAll({
        isConcerned: () => true,
        reauthorize: async () => {
          if (found instanceof Error) throw found
          return found
        },
        isCurrent: () => true,
        ...changes,
      })
    return { call, admitted, look }
  }

  const onList = (...models: string[]) => toPerson('ada', { models: new Set(models) })
  const gone = new SvcError('unauthenticated', 'no key')

  it.each<[string, readonly string[], string | undefined]>([
    ['its model is on the list', ['m'], undefined],
    ['its alias is on the list', ['nick'], undefined],
    ['the router that picked it is on the list', ['auto'], undefined],
    ['nothing of it is on the list', ['other'], 'access has ended'],
    ['the list is empty', [], 'access has ended'],
  ])('ends a call unless %s', async (_, models, message) => {
    const { call, look } = start()
    call.useModel({ model: 'm', through: ['nick', 'auto'] })
    expect(await look(onList(...models))).toBe(true)
    expect([call.reason?.message, call.reason?.kind]).toEqual([
      message,
      message === undefined ? undefined : 'forbidden',
    ])
  })

  it('ends a call of which one model is gone', async () => {
    const { call, look } = start()
    for (const model of ['m', 'other']) call.useModel({ model, through: [] })
    await look(onList('m'))
    expect(call.reason?.code).toBe('access_ended')
  })

  it('gives a call that names its model later the rights of now', async () => {
    const { call, admitted, look } = start()
    await look(onList('m'))
    expect(admitted.authentication.principal.models).toEqual(new Set(['m']))
    await look(toPerson('ada', { models: new Set() }), { isCurrent: () => false })
    expect(admitted.authentication.principal.models).toEqual(new Set(['m']))
    expect(call.aborted).toBe(false)
  })

  it('leaves a caller in place who may go on as somebody else', async () => {
    const { call, admitted, look } = start()
    await look(ANONYMOUS)
    expect([admitted.authentication.principal.id, call.aborted]).toEqual(['ada', false])
  })

  it('says whether everybody could be looked up', async () => {
    const { call, look } = start()
    expect(await look(new SvcError('unavailable', 'no database'))).toBe(false)
    expect(call.aborted).toBe(false)
    expect(await look(gone)).toBe(true)
    expect(call.reason).toMatchObject({ kind: 'unauthenticated', code: 'access_ended' })
    expect(await look(new SvcError('unavailable', 'no database'))).toBe(true)
  })

  it('passes over callers who are not meant', async () => {
    const { call, look } = start()
    expect(await look(gone, { isConcerned: () => false })).toBe(true)
    expect(call.aborted).toBe(false)
  })

  it('lets a call without a model be answered, as it may have changed the rights, unless its reply has begun', async () => {
    for (const headersSent of [false, true]) {
      const { call, look } = start({}, { usecase: undefined, headersSent })
      expect(await look(gone)).toBe(true)
      expect(call.aborted).toBe(headersSent)
    }
  })
})

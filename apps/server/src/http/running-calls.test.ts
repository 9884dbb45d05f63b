import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { RunningCall, RunningCalls } from './running-calls.ts'

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

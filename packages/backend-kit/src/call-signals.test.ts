import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createCallSignals } from './call-signals.ts'

describe('signals of calls', () => {
  it('abort with their own caller only', () => {
    const calls = createCallSignals()
    const callers = [new AbortController(), new AbortController()]
    const [first, second] = callers.map(({ signal }) => calls.begin(signal))
    callers[0]?.abort('gone')
    expect([first?.signal.reason, second?.signal.aborted]).toEqual(['gone', false])
  })

  it('abort when the model closes, except for finished calls', () => {
    const calls = createCallSignals()
    const caller = new AbortController()
    const [over, running] = [calls.begin(caller.signal), calls.begin(caller.signal)]
    over.end()
    calls.close()
    caller.abort('gone')
    expect(over.signal.aborted).toBe(false)
    expect(running.signal.reason).toMatchObject({ kind: 'unavailable', code: 'model_unloading' })
  })

  it('are aborted from the start for a cancelled caller, and after a close', () => {
    const calls = createCallSignals()
    expect(calls.begin(AbortSignal.abort('gone')).signal.reason).toBe('gone')
    calls.close()
    const { signal } = calls.begin(new AbortController().signal)
    expect(signal.reason).toMatchObject({ code: 'model_unloading' })
  })

  it('last for one call, however it ends', async () => {
    const calls = createCallSignals()
    const caller = new AbortController()
    const seen: AbortSignal[] = []
    const answer = await calls.during(caller.signal, async ({ signal }) => {
      seen.push(signal)
      return 'answer'
    })
    const failed = calls.during(caller.signal, async ({ signal }) => {
      seen.push(signal)
      throw new Error('failed')
    })
    await expect(failed).rejects.toThrow('failed')
    calls.close()
    expect([answer, ...seen.map(({ aborted }) => aborted)]).toEqual(['answer', false, false])
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })

  it("leave no listener on the caller's signal after the end", () => {
    const caller = new AbortController()
    createCallSignals().begin(caller.signal).end()
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })
})

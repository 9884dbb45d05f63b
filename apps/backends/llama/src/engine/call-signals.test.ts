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

  it('abort together, but for those that are over', () => {
    const calls = createCallSignals()
    const caller = new AbortController()
    const [over, running] = [calls.begin(caller.signal), calls.begin(caller.signal)]
    over.end()
    calls.abortAll('closing')
    caller.abort('gone')
    expect([over.signal.aborted, running.signal.reason]).toEqual([false, 'closing'])
  })

  it('are aborted from the start for a caller who has left', () => {
    expect(createCallSignals().begin(AbortSignal.abort('gone')).signal.reason).toBe('gone')
  })
})

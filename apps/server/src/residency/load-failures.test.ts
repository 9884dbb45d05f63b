import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLoadFailures } from './load-failures.ts'

const names = (failures: ReturnType<typeof createLoadFailures>): string[] => failures.list().map(({ model }) => model)

describe('createLoadFailures', () => {
  it('keeps the last failure of each model, the newest first, until it is removed', async () => {
    const clock = createFakeClock()
    const failures = createLoadFailures({ clock })
    failures.add('a', new SvcError('internal', 'no weights'))
    await clock.advance(1000)
    failures.add('b', new Error('unexpected'))
    await clock.advance(1000)
    failures.add('a', new SvcError('unavailable', 'no program'))
    expect(failures.list()).toEqual([
      { model: 'a', error: 'no program', at: clock.now() },
      { model: 'b', error: expect.any(String), at: clock.now() - 1000 },
    ])
    failures.remove('a')
    failures.remove('never')
    expect(names(failures)).toEqual(['b'])
  })

  it('holds a thousand models and short texts', () => {
    const failures = createLoadFailures({ clock: createFakeClock() })
    for (let count = 0; count < 1001; count += 1) failures.add(`m${count}`, new SvcError('internal', 'x'.repeat(5000)))
    expect(failures.list()).toHaveLength(1000)
    expect(names(failures)).not.toContain('m0')
    expect(failures.list()[0]?.error).toHaveLength(1024)
  })
})

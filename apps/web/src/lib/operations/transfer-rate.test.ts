import { describe, expect, it } from 'vitest'
import { TransferMeter } from './transfer-rate.ts'

describe('the rate of a transfer', () => {
  it('is unknown until there are two samples', () => {
    const meter = new TransferMeter()
    expect(meter.measure('a', 100, 1000, 0)).toEqual({})
    expect(meter.measure('a', 300, 1000, 1000)).toEqual({ bytesPerSecond: 200, secondsLeft: 3.5 })
  })

  it('is the mean over the last five seconds', () => {
    const meter = new TransferMeter()
    for (let second = 0; second <= 10; second += 1) meter.measure('a', second * 10, undefined, second * 1000)
    for (let second = 11; second < 15; second += 1) meter.measure('a', 100, undefined, second * 1000)
    expect(meter.measure('a', 100, undefined, 15_000)).toEqual({ bytesPerSecond: 0 })
  })

  it('begins anew when a transfer begins anew', () => {
    const meter = new TransferMeter()
    meter.measure('a', 900, 1000, 0)
    expect(meter.measure('a', 10, 1000, 1000)).toEqual({})
    expect(meter.measure('a', 20, 1000, 2000)).toEqual({ bytesPerSecond: 10, secondsLeft: 98 })
  })

  it('takes looks of one moment as one sample', () => {
    const meter = new TransferMeter()
    meter.measure('a', 10, 1000, 0)
    expect(meter.measure('a', 20, 1000, 5)).toEqual({})
  })

  it('forgets transfers that have ended', () => {
    const meter = new TransferMeter()
    meter.measure('a', 10, 1000, 0)
    meter.keepOnly(new Set(['b']))
    expect(meter.measure('a', 20, 1000, 1000)).toEqual({})
  })
})

import { describe, expect, it } from 'vitest'
import { createPortRange } from './port-range.ts'

describe('ports of a worker', () => {
  it('gives each process the lowest free port, and the same one again', () => {
    const ports = createPortRange(100, 101, () => 0)
    expect([ports.take('a#0'), ports.take('a#1'), ports.take('a#0'), ports.take('b#0')]).toEqual([
      100,
      101,
      100,
      undefined,
    ])
  })

  it('lets a released port rest 15 s, also from its own process', () => {
    let time = 0
    const ports = createPortRange(100, 100, () => time)
    ports.take('a#0')
    ports.release('a#0')
    time = 14_999
    expect([ports.take('a#0'), ports.take('b#0')]).toEqual([undefined, undefined])
    time = 15_000
    expect(ports.take('b#0')).toBe(100)
  })

  it('keeps a released port for its process while others are free', () => {
    let time = 0
    const ports = createPortRange(100, 101, () => time)
    ports.take('a#0')
    ports.release('a#0')
    time = 299_999
    expect(ports.take('b#0')).toBe(101)
    expect(ports.take('a#0')).toBe(100)
  })

  it('gives a port to anybody after 5 min', () => {
    let time = 0
    const ports = createPortRange(100, 101, () => time)
    ports.take('a#0')
    ports.release('a#0')
    time = 300_000
    expect(ports.take('b#0')).toBe(100)
  })
})

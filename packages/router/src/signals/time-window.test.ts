import { describe, expect, it } from 'vitest'
import type { TimeWindow } from './settings.ts'
import { compileWindow } from './time-window.ts'

function isInside(window: TimeWindow, at: string): boolean {
  const compiled = compileWindow(window)
  if ('message' in compiled) throw new Error(compiled.message)
  return compiled.test(Date.parse(at)).isInside
}

const OFFICE = { days: 'mon-fri', from: '08:00', to: '18:00', zone: 'Europe/Berlin' }
const NIGHT = { days: ['fri', 'sat'], from: '22:00', to: '06:00', zone: 'UTC' }

describe('a time window', () => {
  it.each([
    // Berlin is an hour ahead of UTC in winter and two in summer.
    [OFFICE, '2026-01-12T07:00:00Z', true],
    [OFFICE, '2026-01-12T06:59:59Z', false],
    [OFFICE, '2026-07-13T06:00:00Z', true],
    [OFFICE, '2026-07-13T16:00:00Z', false],
    [OFFICE, '2026-07-13T15:59:00Z', true],
    [OFFICE, '2026-01-17T12:00:00Z', false],
    // It is Monday in Berlin already.
    [{ ...OFFICE, from: '00:00' }, '2026-01-11T23:30:00Z', true],
    // The change to summer time leaves out 02:00 to 03:00.
    [{ from: '02:00', to: '03:00', zone: 'Europe/Berlin' }, '2026-03-29T01:00:00Z', false],
    [{ from: '03:00', to: '04:00', zone: 'Europe/Berlin' }, '2026-03-29T01:00:00Z', true],
    // After midnight the window belongs to the day on which it began.
    [NIGHT, '2026-01-16T22:00:00Z', true],
    [NIGHT, '2026-01-17T05:59:00Z', true],
    [NIGHT, '2026-01-18T05:59:00Z', true],
    [NIGHT, '2026-01-18T22:00:00Z', false],
    [NIGHT, '2026-01-16T05:00:00Z', false],
    [{ days: 'sat-mon' }, '2026-01-12T12:00:00Z', true],
    [{ days: 'sat-mon' }, '2026-01-13T12:00:00Z', false],
    [{}, '2026-01-13T23:59:59Z', true],
    [{ zone: 'Asia/Kathmandu', from: '05:45', to: '05:46' }, '2026-01-13T00:00:00Z', true],
  ])('%j at %s: %s', (window, at, expected) => {
    expect(isInside(window, at)).toBe(expected)
  })

  it.each([
    [{ days: 'monday' }, 'days'],
    [{ days: 'mon-fri-sat' }, 'days'],
    [{ days: '' }, 'days'],
    [{ from: '8' }, 'from'],
    [{ from: '24:00' }, 'from'],
    [{ to: '24:01' }, 'to'],
    [{ to: '12:60' }, 'to'],
    [{ zone: 'Berlin' }, 'zone'],
    [{ zone: 'Europe/Nowhere' }, 'zone'],
  ])('%j names the mistake in %s', (window, key) => {
    expect(compileWindow(window)).toMatchObject({ key })
  })

  it('shows the local time', () => {
    const compiled = compileWindow(OFFICE)
    expect('test' in compiled && compiled.test(Date.parse('2026-01-12T07:05:00Z')).shown).toBe('mon 08:05')
  })
})

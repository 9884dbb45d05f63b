// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useSettledText } from './use-settled-text.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  cleanup()
})

function begin(value: string) {
  const settled: string[] = []
  const view = renderHook(({ kept }) => useSettledText(kept, (text) => settled.push(text)), {
    initialProps: { kept: value },
  })
  const type = (text: string) => act(() => view.result.current[1](text))
  const wait = (ms: number): void => {
    act(() => {
      vi.advanceTimersByTime(ms)
    })
  }
  return { ...view, settled, type, wait }
}

it('hands a text on once it has rested', () => {
  const { result, settled, type, wait } = begin('')
  type('l')
  wait(150)
  type('li')
  expect(result.current[0]).toBe('li')
  wait(199)
  expect(settled).toEqual([])
  wait(1)
  expect(settled).toEqual(['li'])
})

it('follows a value that changes by other means, without handing it on', () => {
  const { result, rerender, settled, wait } = begin('a')
  rerender({ kept: '' })
  expect(result.current[0]).toBe('')
  wait(1000)
  expect(settled).toEqual([])
})

it('keeps what is typed while the value that it handed on comes back', () => {
  const { result, rerender, settled, type, wait } = begin('')
  type('a')
  wait(200)
  type('ab')
  rerender({ kept: 'a' })
  expect(result.current[0]).toBe('ab')
  wait(200)
  expect(settled).toEqual(['a', 'ab'])
})

import { PassThrough, Writable } from 'node:stream'
import { eventually } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { type LineInput, openLineInput } from './line-input.ts'

const ON = '\u001b[?2004h'
const OFF = '\u001b[?2004l'
const DROPPED = 'At most 5 lines can wait.'
const paste = (...lines: readonly string[]): string => `\u001b[200~${lines.join('\r')}\u001b[201~`

/** An editor for at most five lines, which shows the rest as dropped. */
function open() {
  const input = new PassThrough()
  let shown = ''
  let isQuiet = false
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (!isQuiet) shown += Buffer.from(chunk).toString('utf8')
      done()
    },
  })
  const output = {
    stream,
    setQuiet(quiet: boolean) {
      isQuiet = quiet
    },
  }
  // The editor needs no more of a terminal than its keys.
  const keys = input as unknown as NodeJS.ReadStream
  const lines: LineInput = openLineInput({ input: keys, output, onInterrupt: () => undefined, maxLines: 5 })
  return {
    lines,
    type: (text: string) => void input.write(text),
    end: () => void input.end(),
    shown: () => shown,
    countDropped: () => shown.split(DROPPED).length - 1,
    [Symbol.dispose]: () => lines.close(),
  }
}

it.each([
  ['a paste that fits', [paste('1', '2', '3', '4', '5')], '1\n2\n3\n4\n5', 0],
  ['one line too many', [paste('1', '2', '3', '4', '5', '6')], '1\n2\n3\n4\n5', 1],
  ['many lines too many', [paste(...Array.from({ length: 50 }, (_, index) => String(index + 1)))], '1\n2\n3\n4\n5', 1],
  ['two pastes', [paste('1', '2', '3', ''), paste('4', '5', '6', '7')], '1\n2\n3\n4\n5', 1],
  ['lines that go on', ['1\\\r2\\\r3\\\r4\\\r5\\\r6\\\r7'], '1\n2\n3\n4\n5', 1],
  ['empty lines', [paste('', '', '', '', '', '', '')], '\n\n\n\n', 1],
])('%s: the end of the prompt ends it, and the next one is heard', async (_, typed, prompt, dropped) => {
  using editor = open()
  for (const text of typed) editor.type(text)
  editor.type('\r')
  expect(await editor.lines.next()).toBe(prompt)
  expect(editor.countDropped()).toBe(dropped)
  editor.type('next\r')
  expect(await editor.lines.next()).toBe('next')
  editor.type(`${paste('1', '2', '3', '4', '5', '6')}\r`)
  expect(await editor.lines.next()).toBe('1\n2\n3\n4\n5')
  expect(editor.countDropped()).toBe(dropped + 1)
})

it('prompts that are typed ahead beyond the limit are dropped, and that is said after the answer', async () => {
  using editor = open()
  editor.lines.setQuiet(true)
  editor.type('1\r2\r3\r4\r5\r6\r7\r')
  const prompts = []
  for (let count = 0; count < 5; count += 1) prompts.push(await editor.lines.next())
  expect(prompts).toEqual(['1', '2', '3', '4', '5'])
  expect(editor.countDropped()).toBe(1)
  editor.type('8\r')
  expect(await editor.lines.next()).toBe('8')
})

it('gives the terminal back at the end of the input, also while an answer is printed', async () => {
  using editor = open()
  editor.type('1\r')
  expect(await editor.lines.next()).toBe('1')
  editor.lines.setQuiet(true)
  editor.type('half')
  editor.end()
  await eventually(() => expect(editor.shown()).toContain(OFF))
  editor.lines.discard()
  editor.lines.remark('Ctrl-C again leaves.')
  expect(await editor.lines.next()).toBeUndefined()
})

it('gives the terminal back where the program ends by itself, also while an answer is printed', () => {
  const before = process.listenerCount('exit')
  {
    using editor = open()
    editor.lines.setQuiet(true)
    process.listeners('exit').at(-1)?.(1)
    expect(editor.shown().endsWith(OFF)).toBe(true)
  }
  expect(process.listenerCount('exit')).toBe(before)
})

it.each([false, true])('gives the terminal back while it is stopped by Ctrl-Z: quiet %s', async (isQuiet) => {
  using editor = open()
  let shownAtStop = ''
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    shownAtStop = editor.shown()
    return true
  })
  editor.lines.setQuiet(isQuiet)
  editor.type('\u001a')
  await eventually(() => expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTSTP'))
  kill.mockRestore()
  expect(shownAtStop.endsWith(OFF)).toBe(true)
  process.emit('SIGCONT')
  expect(editor.shown().lastIndexOf(ON)).toBeGreaterThan(editor.shown().lastIndexOf(OFF))
  editor.type('goes on\r')
  expect(await editor.lines.next()).toBe('goes on')
})

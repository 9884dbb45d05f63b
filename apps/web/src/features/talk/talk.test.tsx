// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, Suspense } from 'react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { createObservable } from '../../lib/chat/observable.ts'
import { EMPTY_CONVERSATION } from '../../lib/realtime/conversation.ts'
import { createCaption, type Entry, withPart } from '../../lib/realtime/entries.ts'
import type { Talk, TalkState } from '../../lib/realtime/talk.ts'
import { Announcer } from './announcer.tsx'
import { Captions } from './captions.tsx'
import { readChoices } from './choices.ts'
import { HoldButton } from './hold-button.tsx'
import { TalkNotices } from './notices.tsx'
import { useTalkKeys } from './use-keys.ts'

const IDLE: TalkState = {
  phase: 'idle',
  isSpeaking: false,
  isHeld: false,
  isTooShort: false,
  isMuted: false,
  conversation: EMPTY_CONVERSATION,
}

/** A conversation that notes what it is told. */
function createNotingTalk() {
  const calls: string[] = []
  const note = (name: string) => () => void calls.push(name)
  const talk: Talk = {
    state: createObservable(IDLE),
    start: async () => {},
    end: note('end'),
    hold: note('hold'),
    release: note('release'),
    mute: note('mute'),
    say: note('say'),
    interrupt: note('interrupt'),
    change: note('change'),
    consent: (id, isAllowed) => void calls.push(`${id} ${isAllowed}`),
  }
  return { talk, calls }
}

const show = (part: ReactNode) => render(<Suspense>{part}</Suspense>)

beforeAll(async () => {
  await startTestTranslations()
  // jsdom has neither
  Element.prototype.scrollTo = vi.fn()
  Element.prototype.setPointerCapture = vi.fn()
})
afterEach(cleanup)

test('the button speaks while it is held by pointer or key, and by two presses without a hold', () => {
  const { talk, calls } = createNotingTalk()
  const { rerender } = show(<HoldButton talk={talk} isHeld={false} disabled={false} />)
  const button = screen.getByRole('button')
  fireEvent.pointerDown(button, { button: 0 })
  fireEvent.pointerUp(button)
  fireEvent.click(button)
  expect(calls.splice(0)).toEqual(['hold', 'release'])
  fireEvent.keyDown(button, { key: 'Enter' })
  fireEvent.keyDown(button, { key: 'Enter', repeat: true })
  fireEvent.keyUp(button, { key: 'Enter' })
  expect(calls.splice(0)).toEqual(['hold', 'release'])
  fireEvent.click(button)
  rerender(
    <Suspense>
      <HoldButton talk={talk} isHeld disabled={false} />
    </Suspense>,
  )
  expect(button.getAttribute('aria-pressed')).toBe('true')
  fireEvent.click(button)
  expect(calls.splice(0)).toEqual(['hold', 'release'])
  fireEvent.pointerDown(button, { button: 2 })
  expect(calls).toEqual([])
})

test('Space speaks unless a control has the focus, and Esc ends the answer', () => {
  const { talk, calls } = createNotingTalk()
  function Keys() {
    useTalkKeys(talk, true)
    return <input aria-label="field" />
  }
  const { unmount } = show(<Keys />)
  fireEvent.keyDown(screen.getByLabelText('field'), { code: 'Space' })
  expect(calls).toEqual([])
  fireEvent.keyDown(document.body, { code: 'Space' })
  fireEvent.keyDown(document.body, { code: 'Space', repeat: true })
  fireEvent.keyUp(document.body, { code: 'Space' })
  fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(calls.splice(0)).toEqual(['hold', 'release', 'interrupt'])
  unmount()
  fireEvent.keyDown(document.body, { code: 'Space' })
  expect(calls).toEqual([])
})

const caption = (id: string, role: 'user' | 'assistant', text: string, more: object = {}): Entry => ({
  ...withPart(createCaption(id, role, true), 0, () => text),
  ...more,
})

test('captions show both sides, and tools with their questions', () => {
  const { talk, calls } = createNotingTalk()
  const entries: readonly Entry[] = [
    caption('u1', 'user', 'Delete it.', { state: 'done' }),
    caption('u2', 'user', '', { state: 'done' }),
    caption('a1', 'assistant', 'I will', { state: 'cut', fault: 'max_output_tokens' }),
    { kind: 'tools', id: 'l1', server: 'files', names: ['read', 'delete'] },
    { kind: 'tool', id: 'm1', name: 'read', server: 'files', arguments: '{"a":1}', result: 'text', state: 'done' },
    { kind: 'tool', id: 'f1', name: 'look_up', arguments: '', state: 'asked' },
    { kind: 'consent', id: 'q1', name: 'delete', server: 'files', arguments: '{}' },
  ]
  show(<Captions entries={entries} talk={talk} />)
  const log = screen.getByRole('log')
  expect(log.getAttribute('aria-live')).toBe('off')
  for (const text of ['Delete it.', 'No words', 'Interrupted', '2 tools of files:', 'This page runs no functions'])
    expect(log.textContent).toContain(text)
  fireEvent.click(screen.getByRole('button', { name: 'Decline' }))
  expect(calls).toEqual(['q1 false'])
})

test('screen readers hear finished words once, and no answer that is heard', () => {
  const open = [caption('u1', 'user', 'What is')]
  const over = [caption('u1', 'user', 'What is new?', { state: 'done' })]
  const answered = [...over, caption('a1', 'assistant', 'Nothing.', { state: 'done' })]
  const typed = [...answered, caption('a2', 'assistant', 'Still nothing.', { state: 'done', isSpoken: false })]
  const { rerender } = show(<Announcer entries={open} />)
  const say = (entries: readonly Entry[]) => {
    rerender(
      <Suspense>
        <Announcer entries={entries} />
      </Suspense>,
    )
    return screen.getByRole('status').textContent
  }
  expect(screen.getByRole('status').textContent).toBe('')
  expect(say(over)).toBe('You: What is new?')
  expect(say(answered)).toBe('You: What is new?')
  expect(say(typed)).toBe('Model: Still nothing.')
})

test.each<[string, Partial<TalkState>]>([
  ['Open the interface over HTTPS', { fault: 'insecure' }],
  ['Allow it in the settings of the site', { fault: 'denied' }],
  ['Typed messages still work', { phase: 'live', fault: 'gone' }],
  ['The server has no WebRTC', { phase: 'live', fallback: 'not-served' }],
  ['Choose another voice', { conversation: { ...EMPTY_CONVERSATION, fault: { code: 'tts_error', message: 'no' } } }],
  ['access has ended', { phase: 'ended', end: { kind: 'closed', code: 1008, reason: 'access has ended' } }],
  ['The connection has ended.', { phase: 'ended', end: { kind: 'closed', code: 4000, reason: '' } }],
  ['too slow for sound', { phase: 'ended', end: { kind: 'closed', code: 1006, reason: 'stalled' } }],
  ['No memory', { phase: 'ended', end: { kind: 'refused', code: 'model_load_error', message: 'No memory' } }],
  ['Not here.', { phase: 'ended', end: { kind: 'failed', error: new Error('Not here.') } }],
])('the page says: %s', (text, changes) => {
  const { container } = show(<TalkNotices state={{ ...IDLE, ...changes }} />)
  expect(container.textContent).toContain(text)
})

test('stored choices are read as far as they are right', () => {
  const first = readChoices(null)
  expect(first.isPushToTalk).toBe(true)
  const stored = { voice: 'anna', isSilent: 'yes', detection: 'guess', eagerness: 'high', more: 1 }
  expect(readChoices(JSON.stringify(stored))).toEqual({ ...first, voice: 'anna', eagerness: 'high' })
  for (const text of ['', 'null', '[]', '{', '7']) expect(readChoices(text)).toEqual(first)
})

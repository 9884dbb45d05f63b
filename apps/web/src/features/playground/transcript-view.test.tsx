// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import type { Transcript } from '../../lib/media/transcript.ts'
import { TranscriptView } from './transcript-view.tsx'

const word = (text: string, start: number) => ({ word: text, text, start, end: start + 1 })
const part = (start: number, text: string) => ({
  ...{ id: 0, seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 },
  ...{ start, end: start + 60, text },
})
const TRANSCRIPT: Transcript = {
  task: 'transcribe',
  text: 'Hello there. Good bye.',
  language: 'old english',
  duration: 120,
  segments: [part(0, 'Hello there.'), part(60, 'Good bye.')],
  words: [word('Hello', 0), word('there.', 30), word('Good', 60), word('bye.', 90)],
}

const open = new Set<string>()

beforeAll(startTestTranslations)
beforeEach(() => {
  URL.createObjectURL = () => {
    open.add('blob:1')
    return 'blob:1'
  }
  URL.revokeObjectURL = (url) => void open.delete(url)
})
afterEach(cleanup)

function show(transcript: Transcript) {
  const view = render(<TranscriptView recording={new File(['x'], 'talk.wav')} transcript={transcript} />)
  const player = view.container.querySelector('audio') as HTMLAudioElement
  const marked = () =>
    [...view.container.querySelectorAll('[data-word][data-now]')].map(({ textContent }) => textContent)
  const moveTo = (seconds: number) => {
    player.currentTime = seconds
    fireEvent.seeking(player)
  }
  return { ...view, player, marked, moveTo }
}

test('the words follow the player, and a press on a time or a word moves it', () => {
  const { player, marked, moveTo } = show(TRANSCRIPT)
  moveTo(31)
  expect(marked()).toEqual(['there.'])
  moveTo(95)
  expect(marked()).toEqual(['bye.'])
  fireEvent.click(screen.getByRole('button', { name: 'Go to 1:00' }))
  expect(player.currentTime).toBe(60)
  fireEvent.click(screen.getByText('there.'))
  expect(player.currentTime).toBe(30)
})

test('a recording that the browser does not play keeps its transcript', () => {
  const { player } = show(TRANSCRIPT)
  fireEvent.error(player)
  expect(screen.getByText(/does not play this recording/)).toBeDefined()
  expect(screen.getByText('Hello')).toBeDefined()
  expect(screen.getByText(/old english/)).toBeDefined()
})

test('silence is said, and has nothing to save', () => {
  const { unmount } = show({ ...TRANSCRIPT, text: '', segments: [], words: [] })
  expect(screen.getByText('The model heard no words in this recording.')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'SRT' })).toBeNull()
  expect(open.size).toBe(1)
  unmount()
  expect(open.size).toBe(0)
})

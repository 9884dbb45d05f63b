// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { createId } from '../../lib/chat/types.ts'
import { queryClient } from '../../lib/query-client.ts'
import { type Session, sessionQuery } from '../../lib/session.ts'
import { Composer } from './composer.tsx'

const sent: unknown[] = []
let key = ''

beforeAll(startTestTranslations)
beforeEach(() => {
  sent.length = 0
  key = createId()
  const viewer = {
    kind: 'open',
    isAdmin: true,
    id: key,
    name: '',
    email: '',
    avatarUrl: '',
    provider: '',
    permissions: {},
  }
  const rest = { hasAccounts: false, asksForKey: false, providers: [], hasUsers: false, registrationMode: 'open' }
  queryClient.setQueryData(sessionQuery.queryKey, { viewer, ...rest } as Session)
})
afterEach(() => {
  cleanup()
  queryClient.clear()
})

function show(isRunning = false) {
  const models = [{ id: 'm', canThink: false, inputs: new Set(['text']), isLoaded: true }]
  const stops: string[] = []
  const composer = (
    <QueryClientProvider client={queryClient}>
      <Suspense>
        <Composer
          draftKey={key}
          models={models}
          model="m"
          onModel={() => {}}
          placeholder="Write"
          isRunning={isRunning}
          onSend={(...message) => sent.push(message)}
          onStop={() => stops.push('stop')}
        />
      </Suspense>
    </QueryClientProvider>
  )
  const { rerender } = render(composer)
  return {
    field: screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }),
    stops,
    rerender: () => rerender(composer),
  }
}

test('Enter sends and empties the field', () => {
  const { field } = show()
  fireEvent.change(field, { target: { value: 'hello' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(sent).toEqual([['hello', [], undefined]])
  expect(field.value).toBe('')
})

test('Shift+Enter and the Enter of an input method send nothing', () => {
  const { field } = show()
  fireEvent.change(field, { target: { value: 'hello' } })
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true })
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 })
  expect(sent).toEqual([])
  expect(field.value).toBe('hello')
})

test('blank text is not sent', () => {
  const { field } = show()
  fireEvent.change(field, { target: { value: '  \n ' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(sent).toEqual([])
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true)
})

test('Stop stands in the place of Send while an answer is written', () => {
  const { field, stops } = show(true)
  fireEvent.change(field, { target: { value: 'next' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(sent).toEqual([])
  fireEvent.click(screen.getByRole('button', { name: /Stop/ }))
  expect(stops).toEqual(['stop'])
})

test('a text file goes along, a picture is refused by name when the model takes none', async () => {
  const { field } = show()
  const files = [
    new File(['notes'], 'notes.txt', { type: 'text/plain' }),
    new File(['x'], 'cat.png', { type: 'image/png' }),
  ]
  fireEvent.paste(field, { clipboardData: { files } })
  await screen.findByText('notes.txt')
  expect(screen.getByText('cat.png was left out: m takes no files of the kind image.')).toBeDefined()
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(sent).toMatchObject([['', [{ kind: 'text', name: 'notes.txt', data: 'notes' }], undefined]])
})

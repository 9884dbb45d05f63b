// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { queryClient } from '../../lib/query-client.ts'
import { MediaForm } from './media-form.tsx'
import { useRun } from './use-run.ts'

beforeAll(startTestTranslations)
afterEach(cleanup)

/** A form whose call the test ends. */
function Page({ call }: { readonly call: (input: string, signal: AbortSignal) => Promise<string> }) {
  const [text, setText] = useState('')
  const run = useRun(call)
  return (
    <MediaForm
      run={run}
      isReady={text !== ''}
      onRun={() => run.start(text)}
      action="Go"
      command="curl"
      fields={<input aria-label="field" value={text} onChange={({ target }) => setText(target.value)} />}
    >
      {run.reply !== undefined && <p>{run.reply}</p>}
    </MediaForm>
  )
}

function show(page: ReactNode) {
  const view = render(<QueryClientProvider client={queryClient}>{page}</QueryClientProvider>)
  const field = screen.getByRole('textbox', { name: 'field' })
  const runByKey = () => fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  return { ...view, field, runByKey }
}

test('runs once at a time, by the key too, and says that the result is there', async () => {
  let end: (reply: string) => void = () => {}
  const call = vi.fn((_: string, __: AbortSignal) => new Promise<string>((resolve) => (end = resolve)))
  const { field, runByKey } = show(<Page call={call} />)
  expect(screen.getByText('No result yet')).toBeDefined()
  runByKey()
  expect(call).not.toHaveBeenCalled()
  fireEvent.change(field, { target: { value: 'a' } })
  runByKey()
  await screen.findByRole('button', { name: 'Stop' })
  runByKey()
  expect(call).toHaveBeenCalledOnce()
  end('the reply')
  await screen.findByText('the reply')
  expect(screen.getByText('The result is there.').role).toBe('status')
  expect(screen.queryByText('No result yet')).toBeNull()
})

test('ends the call when it is stopped, without an error, and when the page is left', async () => {
  const signals: AbortSignal[] = []
  const call = (_: string, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { field, runByKey, unmount } = show(<Page call={call} />)
  fireEvent.change(field, { target: { value: 'a' } })
  runByKey()
  fireEvent.click(await screen.findByRole('button', { name: 'Stop' }))
  await screen.findByText('No result yet')
  expect(screen.queryByRole('alert')).toBeNull()
  runByKey()
  await screen.findByRole('button', { name: 'Stop' })
  unmount()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

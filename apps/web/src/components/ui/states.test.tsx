// @vitest-environment jsdom
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { ApiError } from '../../lib/api-error.ts'
import { reportReply, reportSilence } from '../../lib/connection.ts'
import { ErrorBlock, NoMatch, QueryView } from './states.tsx'

beforeAll(startTestTranslations)
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  reportReply()
})

/** A list of names from a request whose answers the test gives. */
function showList(fetchNames: () => Promise<readonly string[]>, known?: readonly string[]): void {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  if (known !== undefined) client.setQueryData(['names'], known)
  function List() {
    const query = useQuery({ queryKey: ['names'], queryFn: fetchNames })
    return (
      <QueryView query={query}>
        {(names) => (
          <ul>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        )}
      </QueryView>
    )
  }
  render(
    <QueryClientProvider client={client}>
      <List />
    </QueryClientProvider>,
  )
}

const readRows = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)

describe('QueryView', () => {
  it('says that it loads, then shows the data', async () => {
    let answer: (names: readonly string[]) => void = () => undefined
    showList(() => new Promise((resolve) => (answer = resolve)))
    expect(screen.getByRole('status').textContent).toBe('Loading')
    await act(async () => answer(['one']))
    await screen.findByRole('listitem')
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('shows a failure in its place, and tries again on request', async () => {
    const fetchNames = vi.fn(async (): Promise<readonly string[]> => ['two'])
    fetchNames.mockRejectedValueOnce(new ApiError('The disk is full.', { status: 507, correlationId: 'abc-1' }))
    showList(fetchNames)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('The disk is full.')
    expect(alert.textContent).toContain('abc-1')
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByRole('listitem')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('keeps the data of before beside the failure of a refresh', async () => {
    showList(async () => {
      throw new ApiError('The database is busy.', { status: 503 })
    }, ['old'])
    expect((await screen.findByRole('alert')).textContent).toContain('The database is busy.')
    expect(readRows()).toEqual(['old'])
  })

  it('marks the data with its age while the server is away', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('no network')
    })
    showList(async () => ['kept'])
    await screen.findByRole('listitem')
    act(() => {
      reportSilence()
      reportSilence()
    })
    expect(screen.getByText(/^as of /)).toBeDefined()
    expect(readRows()).toEqual(['kept'])
    act(() => reportReply())
    expect(screen.queryByText(/^as of /)).toBeNull()
  })
})

describe('ErrorBlock', () => {
  it('waits with Retry as long as the server asks for', () => {
    vi.useFakeTimers()
    const onRetry = vi.fn()
    render(<ErrorBlock error={new ApiError('Slow down.', { status: 429, retryAfterMs: 2000 })} onRetry={onRetry} />)
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Retry in 2 seconds' })
    expect(button.disabled).toBe(true)
    act(() => void vi.advanceTimersByTime(2100))
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  it('says in words that nothing answered', () => {
    render(<ErrorBlock error={new ApiError('fetch failed')} />)
    expect(screen.getByRole('alert').textContent).toBe('The server does not answer.')
  })
})

it('a list without a match offers to clear its filters', () => {
  const onClear = vi.fn()
  render(<NoMatch onClear={onClear} />)
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
  expect(onClear).toHaveBeenCalledOnce()
})
